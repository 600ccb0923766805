import { resolve } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { isObject } from '../src/people/values/values.ts'
import type { AdminAccess } from './admin-access.ts'
import { type Client, openClient, openPatientClient, originIn } from './client.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import type { CsvRecord } from './csv.ts'
import { describeColumns, openPeopleTable, previewPeopleTable, trackItemsOfTable } from './csv-table.ts'
import { openFileRun } from './file-run.ts'
import { openImportFiles } from './import-files.ts'
import { type FileObject, readJsonDocument, readJsonLines, tryParseJson } from './json-objects.ts'
import { LinePlan } from './line-plan.ts'
import { encodingOption, lineOption, repeatedOption, urlOption, workspaceOption } from './options.ts'
import { type PhoneCountry, phoneCountryOf } from './phone.ts'
import { formatCount } from './progress.ts'
import { createMissingEntries, linesFromRecords, type RestoreItem, type RestoreJob, restoreAll } from './restore.ts'
import { checkTrackAccess } from './send-batch.ts'
import { openSource, peek, type Source } from './source.ts'
import { arrayOf, previewObjects, trackAll, trackItemsOfObjects } from './track.ts'
import type { TrackItem } from './track-batches.ts'
import { withAdminAccess } from './with-admin-access.ts'

/** The most characters of the first line that are read to recognize a file. */
const peekCharactersMax = 16 * 1024 * 1024

type Options = {
  readonly from?: number
  readonly restart?: boolean
  readonly refused?: string
  readonly plan?: boolean
  readonly track?: boolean
  readonly text?: boolean
  readonly country?: string
  readonly encoding?: string
  readonly map?: readonly string[]
  readonly workspace?: string
  readonly url?: string
}

export const importVerb: Verb<Options> = {
  description: `Import people from a file, a folder or a zip. The format is recognized. Refused lines are reported with their number, and
the others are imported.`,
  notes: `Formats:
  a file of "export"        People with all their data, history included. Existing people are not changed, so importing
                            the same file twice changes nothing. Missing apps and subscription groups are created.
  records of export/ids     JSON as POST /users/export/ids returns it, of any installation: {"users": [...]}, a list, or
                            one record on each line. New people are created with fields, attributes, aliases, devices,
                            and the sessions and push tokens of known apps. Summaries of events and purchases are not
                            imported.
  objects of users/track    {"attributes": {...}}, {"events": {...}} or {"purchases": {...}} on each line.
  CSV                       A first line with headers, then one person on each line. Existing people are changed. Commas,
                            semicolons, tabs or bars separate the fields.

A folder or a zip with such files is one import, for example the files of an export of a segment.

For the first two the command uses the database when no server does, otherwise the server with EASEL_ADMIN_TOKEN. For the
others it uses the server with EASEL_API_KEY, which needs users.track.

Refused lines are written to a file beside the first, as they are there, to be corrected and imported; their reasons are in a
second file. FILE.progress says how far an import has come. After an interruption the same command continues there, and
within 24 hours nothing is imported twice.

Targets of --map are external_id, email, phone and other fields of a profile, longitude, latitude, custom.NAME,
alias.LABEL, group.ID, and - to ignore a column. Any other column is the field with the name of its header,
without regard to case ("First Name" is first_name), or a custom attribute. The columns are printed first.`,
  define: (command) => {
    command
      .argument(
        '<file>',
        'the file, which may be compressed with gzip, or a zip or folder of files; - is standard input',
      )
      .option('--plan', 'write nothing; print how many people are new, what would be refused, and the columns of a CSV')
      .addOption(lineOption())
      .option('--restart', 'begin at the first line, also when an import of the file was interrupted')
      .option('--refused <file>', 'write refused lines to this new file, and their reasons to FILE.reasons.jsonl')
      .option('--track', 'send records to users/track, which also changes existing people, but not all their data')
      .addOption(repeatedOption('--map <map>', 'CSV: the targets of columns, such as "Email=email,Plan=custom.plan"'))
      .option('--text', 'CSV: keep custom attributes as text, also when they look like numbers or booleans')
      .option(
        '--country <country>',
        'CSV: the country of phone numbers without one, such as DE, unless the row has its own',
      )
      .addOption(encodingOption())
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run([path], options, shell) {
    const source = await openSource(path!, shell, options.encoding)
    const { kind, text, values: known } = await recognise(source)
    const order = { options, path: path!, source, shell, config: readConfig(shell.env) }
    if (kind === 'people') return importPeople(readJsonLines(text), order)
    if (kind === 'csv') return importSheet(text, order)
    const all = known === undefined ? readJsonLines(text) : listed(known)
    return kind === 'records' && !options.track ? importRecords(all, order) : importObjects(all, order)
  },
}

/** A file to import, with the options. */
type ImportJob = { options: Options; path: string; source: Source; shell: Shell; config: Config }
type Kind = 'people' | 'records' | 'objects' | 'csv'
type Recognised = { kind: Kind; text: AsyncIterable<string>; values?: readonly FileObject[] }

/** Recognizes the format by the first line. A JSON document on several lines is read completely. */
async function recognise(source: Source): Promise<Recognised> {
  const { start, text } = await peek(source.text, peekCharactersMax)
  const [line = ''] = start.trimStart().split('\n')
  const value = tryParseJson(line)
  if (value !== undefined && typeof value === 'object') return { kind: kindOf(value), text }
  if (!/^\s*[[{]/.test(start)) return { kind: start.trim() === '' ? 'objects' : 'csv', text }
  const values = await readJsonDocument(text)
  if (values === undefined)
    throw new UsageError('the file begins like JSON, but neither its first line nor the complete file is valid JSON.')
  return { kind: 'records', text, values }
}

function kindOf(value: unknown): Kind {
  if (isObject(value) && value.easel === 'people') return 'people'
  return isObject(value) && arrayOf(value) ? 'objects' : 'records'
}

async function* listed(values: readonly FileObject[]): AsyncGenerator<FileObject> {
  yield* values
}

/** Runs an import by admin access. */
async function restoreWith(order: ImportJob, work: (job: RestoreJob) => Promise<Outcome>): Promise<Outcome> {
  const { config, source, options, shell } = order
  const { workspace, plan = false, url } = options
  const target = url ?? databaseOf(config)
  const restore = async (access: AdminAccess) => {
    const files = plan ? { placeOf: source.placeOf } : await openImportFiles(order, [target, workspace], '.jsonl')
    const run = openFileRun(shell, 'people', options.from ?? 1, files)
    return work({ shell, access, workspace, plan, run, share: source.share, made: new Set() }).finally(run.close)
  }
  return withAdminAccess(shell, config, url, restore, plan ? 'plan' : 'write')
}

/** Returns a text that differs for another database. It has no password. */
function databaseOf({ databaseUrl, dataDir, ...config }: Config): string {
  if (databaseUrl === undefined)
    return dataDir === 'memory' ? originIn({ databaseUrl, dataDir, ...config }) : resolve(dataDir)
  const { host, pathname } = new URL(databaseUrl)
  return host + pathname
}

function importPeople(values: AsyncIterable<FileObject>, order: ImportJob): Promise<Outcome> {
  return restoreWith(order, (job) => restoreAll(linesIn(values, job), job))
}

/** Yields the lines after the head. The head is read also when the import continues at a later line. */
async function* linesIn(values: AsyncIterable<FileObject>, job: RestoreJob): AsyncGenerator<RestoreItem> {
  for await (const each of values) {
    if (each.problem !== undefined) yield each
    else if (each.value.easel !== 'people')
      yield { number: each.number, text: each.text, line: each.value, bytes: each.bytes }
    else {
      job.run.files.refused?.setHead(each.text)
      await createMissingEntries(each.value, job)
    }
  }
}

function importRecords(values: AsyncIterable<FileObject>, order: ImportJob): Promise<Outcome> {
  return restoreWith(order, async (job) => {
    const apps = await job.access.list('apps', job.workspace)
    const names = apps.flatMap(({ id, name }): [string, string][] => [
      [String(id), String(id)],
      [String(name), String(id)],
    ])
    const losses = new Map<string, number>()
    const rules = { apps: new Map(names), nowMs: systemClock().now() }
    const outcome = await restoreAll(linesFromRecords(values, rules, losses), job)
    if (losses.size === 0) return outcome
    const list = [...losses].map(([what, count]) => `${what} ${formatCount(count)}`).sort()
    note(
      order.shell,
      `Not imported, because they exist only at the other installation or their app is unknown here: ${list.join(', ')}.`,
    )
    return { ...outcome, result: { ...outcome.result, not_imported: Object.fromEntries(losses) } }
  })
}

async function importObjects(values: AsyncIterable<FileObject>, order: ImportJob): Promise<Outcome> {
  const items = trackItemsOfObjects(values)
  const { options, config } = order
  if (!options.plan) return track(items, order)
  const client = config.apiKey === undefined ? undefined : openClient(options.url ?? originIn(config), config.apiKey, 0)
  return previewObjects(items, planOf(order), client)
}

async function importSheet(text: AsyncIterable<string>, order: ImportJob): Promise<Outcome> {
  const { map = [], plan, text: textOnly = false, country } = order.options
  const sheet = await openPeopleTable(text, map, {
    textOnly,
    ...(country !== undefined && { country: countryOf(country) }),
  })
  sheet.rows = rowsOfOneFile(sheet.rows, order.source)
  if (plan) return previewPeopleTable(sheet, clientOf(order), planOf(order))
  note(order.shell, `Columns: ${describeColumns(sheet)}`)
  return track(trackItemsOfTable(sheet), order, sheet.head)
}

/** Throws at the second file of a folder or a zip: its first line is no row. */
async function* rowsOfOneFile(rows: AsyncIterable<CsvRecord>, { placeOf }: Source): AsyncGenerator<CsvRecord> {
  for await (const row of rows) {
    if (placeOf(row.line) !== undefined) throw new UsageError('There are several tables: import each by itself.')
    yield row
  }
}

function planOf({ config }: ImportJob): LinePlan {
  return new LinePlan(config.serviceName, systemClock().now())
}

function countryOf(text: string): PhoneCountry {
  const country = phoneCountryOf(text)
  if (country === undefined)
    throw new UsageError(`--country: ${JSON.stringify(text)} is not a country with phone numbers, such as DE`)
  return country
}

async function track(items: AsyncIterable<TrackItem>, order: ImportJob, head?: string): Promise<Outcome> {
  const { config, options, source, shell } = order
  const client = clientOf(order)
  // The file of the progress is not written for a server that cannot be used.
  await checkTrackAccess(client)
  const { map, text, country, track: asObjects } = options
  const target = [client.origin, config.apiKey, map, text, country, asObjects]
  const files = await openImportFiles(order, target, head === undefined ? '.jsonl' : '.csv')
  if (head !== undefined) files.refused.setHead(head)
  const run = openFileRun(shell, 'objects', options.from ?? 1, files)
  return trackAll(items, { shell, client, run, name: files.state.run, share: source.share }).finally(run.close)
}

function clientOf({ config, options: { url } }: ImportJob): Client {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key with users.track.')
  return openPatientClient(url ?? originIn(config), config.apiKey)
}
