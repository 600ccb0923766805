import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { isObject } from '../src/people/values/values.ts'
import type { AdminAccess } from './admin-access.ts'
import { type Client, openClient, originIn } from './client.ts'
import { note, type Outcome, type Shell, UsageError, type Verb } from './command.ts'
import { describeColumns, openPeopleTable, previewPeopleTable, trackItemsOfTable } from './csv-table.ts'
import { openFileRun } from './file-run.ts'
import { type FileObject, readJsonDocument, readJsonLines, tryParseJson } from './json-objects.ts'
import { encodingOption, lineOption, repeatedOption, urlOption, workspaceOption } from './options.ts'
import { type PhoneCountry, phoneCountryOf } from './phone.ts'
import { formatCount } from './progress.ts'
import { createMissingEntries, linesFromRecords, type RestoreItem, type RestoreJob, restoreAll } from './restore.ts'
import { openSource, peek, type Source } from './source.ts'
import { arrayOf, previewObjects, type TrackItem, trackAll, trackItemsOfObjects } from './track.ts'
import { withAdminAccess } from './with-admin-access.ts'

/** The most characters of the first line that are read to recognize a file. */
const peekCharactersMax = 16 * 1024 * 1024

type Options = {
  readonly from: number
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
  description: `Import people from a file, whose format is recognized. Refused lines are reported with their number, and the others are
imported.`,
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

For the first two the command uses the database when no server does, otherwise the server with EASEL_ADMIN_TOKEN. For the
others it uses the server with EASEL_API_KEY, which needs users.track. A batch whose answer was lost is sent again, so its
events can exist twice.

Targets of --map are external_id, email, phone and other fields of a profile, longitude, latitude, custom.NAME,
alias.LABEL, group.ID, and - to ignore a column. Any other column is the field with the name of its header,
without regard to case ("First Name" is first_name), or a custom attribute. The columns are printed first.`,
  define: (command) => {
    command
      .argument('<file>', 'the file; may be compressed with gzip; - is standard input')
      .option('--plan', 'write nothing; print how many people are new, and the columns of a CSV with examples')
      .addOption(lineOption())
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
    const order = { options, source, shell, config: readConfig(shell.env) }
    if (kind === 'people') return importPeople(readJsonLines(text), order)
    if (kind === 'csv') return importSheet(text, order)
    const all = known === undefined ? readJsonLines(text) : listed(known)
    return kind === 'records' && !options.track ? importRecords(all, order) : importObjects(all, order)
  },
}

/** A file to import, with the options. */
type ImportJob = { options: Options; source: Source; shell: Shell; config: Config }
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
async function restoreWith(
  { config, source, options, shell }: ImportJob,
  work: (job: RestoreJob) => Promise<Outcome>,
): Promise<Outcome> {
  const run = openFileRun(shell, 'people', options.from)
  const { workspace, plan = false } = options
  const restore = (access: AdminAccess) =>
    work({ shell, access, workspace, plan, run, share: source.share, made: new Set() })
  return withAdminAccess(shell, config, options.url, restore, plan ? 'plan' : 'write').finally(run.close)
}

function importPeople(values: AsyncIterable<FileObject>, order: ImportJob): Promise<Outcome> {
  return restoreWith(order, (job) => restoreAll(linesIn(values, job), job))
}

/** Yields the lines after the head. The head is read also when the import continues at a later line. */
async function* linesIn(values: AsyncIterable<FileObject>, job: RestoreJob): AsyncGenerator<RestoreItem> {
  for await (const each of values) {
    if (each.problem !== undefined) yield each
    else if (each.value.easel === 'people') await createMissingEntries(each.value, job)
    else yield { number: each.number, line: each.value, bytes: each.bytes }
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
  return order.options.plan ? previewObjects(items) : track(items, order)
}

async function importSheet(text: AsyncIterable<string>, order: ImportJob): Promise<Outcome> {
  const { map = [], plan, text: textOnly = false, country } = order.options
  const sheet = await openPeopleTable(text, map, {
    textOnly,
    ...(country !== undefined && { country: countryOf(country) }),
  })
  if (plan) return previewPeopleTable(sheet, clientOf(order))
  note(order.shell, `Columns: ${describeColumns(sheet)}`)
  return track(trackItemsOfTable(sheet), order)
}

function countryOf(text: string): PhoneCountry {
  const country = phoneCountryOf(text)
  if (country === undefined)
    throw new UsageError(`--country: ${JSON.stringify(text)} is not a country with phone numbers, such as DE`)
  return country
}

async function track(items: AsyncIterable<TrackItem>, order: ImportJob): Promise<Outcome> {
  const { config, options, source, shell } = order
  const client = clientOf(order)
  const batchMax = Math.min(config.batchMax, config.batchMaxPerArray ?? config.batchMax)
  const run = openFileRun(shell, 'objects', options.from)
  return trackAll(items, { shell, client, batchMax, run, share: source.share }).finally(run.close)
}

function clientOf({ config, options: { url } }: ImportJob): Client {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key with users.track.')
  return openClient(url ?? originIn(config), config.apiKey)
}
