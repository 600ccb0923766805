import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { isObject } from '../src/people/values/values.ts'
import type { AdminAccess } from './admin-access.ts'
import { type Client, openClient, originIn } from './client.ts'
import { type Command, note, type Shell, UsageError } from './command.ts'
import { openPeopleTable, previewPeopleTable, trackItemsOfTable } from './csv-table.ts'
import { type FileRun, openFileRun } from './file-run.ts'
import { type FileObject, readJsonDocument, readJsonLines, tryParseJson } from './json-objects.ts'
import { formatCount } from './progress.ts'
import { createMissingEntries, linesFromRecords, type RestoreItem, type RestoreJob, restoreAll } from './restore.ts'
import { openSource, peek, type Source } from './source.ts'
import { arrayOf, previewObjects, type TrackItem, trackAll, trackItemsOfObjects } from './track.ts'
import { withAdminAccess } from './with-admin-access.ts'

/** The most characters of the first line that are read to recognize a file. */
const peekCharactersMax = 16 * 1024 * 1024

export const importCommand: Command = {
  usage: `Usage: npm run easel -- import FILE [--workspace ID] [--plan] [--from LINE] [--url URL]

The format of FILE is recognized. FILE may be compressed with gzip; - is standard input.

  a file of "export"        People with all their data, history included. Existing people are not changed, so importing
                            the same file twice changes nothing. Missing apps and subscription groups are created.
  records of export/ids     JSON as POST /users/export/ids returns it, of any installation: {"users": [...]}, a list, or
                            one record on each line. New people are created with fields, attributes, aliases, devices,
                            and the sessions and push tokens of known apps. Summaries of events and purchases are not
                            imported.
  objects of users/track    {"attributes": {...}}, {"events": {...}} or {"purchases": {...}} on each line.
  CSV                       A first line with headers, then one person on each line. Existing people are changed.

For the first two the command uses the database when no server does, otherwise the server with EASEL_ADMIN_TOKEN. For the
others it uses the server with EASEL_API_KEY, which needs users.track. A batch whose answer was lost is sent again, so its
events can exist twice. Refused lines are reported with their number, and the others are imported.

  --workspace ID   the workspace, for the first two; by default the default workspace
  --plan           write nothing; print how many people are new and how many exist, and the columns of a CSV with examples
  --from LINE      continue at this line, which an interrupted run has printed
  --track          send records to users/track, which also changes existing people, but only their fields, attributes and
                   subscription states
  --map MAP        CSV: the targets of columns, HEADER=TARGET separated by commas, for example
                   "Email=email,Plan=custom.plan". Targets are external_id, email, phone and other fields of a profile,
                   longitude, latitude, custom.NAME, alias.LABEL, group.ID, and - to ignore a column. Any other column is
                   the field with the name of its header, or a custom attribute. May be repeated
  --text           CSV: keep custom attributes as text, also when they look like numbers or booleans
  --url URL        the server; by default HOST and PORT of the environment`,
  run,
}

type Options = {
  from: number
  plan: boolean
  track: boolean
  text: boolean
  map: string[]
  workspace: string | undefined
  url: string | undefined
}

async function run(args: readonly string[], shell: Shell): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string', default: '1' },
      plan: { type: 'boolean', default: false },
      track: { type: 'boolean', default: false },
      text: { type: 'boolean', default: false },
      map: { type: 'string', multiple: true, default: [] },
      workspace: { type: 'string' },
      url: { type: 'string' },
    },
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('import takes one file.')
  if (!/^[1-9]\d{0,14}$/.test(values.from)) throw new UsageError('--from takes the number of a line.')
  const options = { ...values, from: Number(values.from), workspace: values.workspace, url: values.url }
  const source = await openSource(path, shell)
  const { kind, text, values: known } = await recognise(source)
  const order = { options, source, shell, config: readConfig(shell.env) }
  if (kind === 'people') return importPeople(readJsonLines(text), order)
  if (kind === 'csv') return importSheet(text, order)
  const all = known === undefined ? readJsonLines(text) : listed(known)
  return kind === 'records' && !options.track ? importRecords(all, order) : importObjects(all, order)
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

/** Runs an import by admin access. Returns the exit code: 0 when no line was skipped. */
async function restoreWith(
  { config, source, options, shell }: ImportJob,
  work: (job: RestoreJob) => Promise<void>,
): Promise<number> {
  const run = openFileRun(shell, 'people', options.from)
  const { workspace, plan } = options
  await withAdminAccess(shell, config, options.url, async (access: AdminAccess) => {
    await work({ shell, access, workspace, plan, run, share: source.share, made: new Set() })
  }).finally(run.close)
  return codeOf(run)
}

function importPeople(values: AsyncIterable<FileObject>, order: ImportJob): Promise<number> {
  return restoreWith(order, async (job) => {
    await restoreAll(linesIn(values, job), job)
  })
}

/** Yields the lines after the head. The head is read also when the import continues at a later line. */
async function* linesIn(values: AsyncIterable<FileObject>, job: RestoreJob): AsyncGenerator<RestoreItem> {
  for await (const each of values) {
    if (each.problem !== undefined) yield each
    else if (each.value.easel === 'people') await createMissingEntries(each.value, job)
    else yield { number: each.number, line: each.value, bytes: each.bytes }
  }
}

function importRecords(values: AsyncIterable<FileObject>, order: ImportJob): Promise<number> {
  return restoreWith(order, async (job) => {
    const apps = await job.access.list('apps', job.workspace)
    const names = apps.flatMap(({ id, name }): [string, string][] => [
      [String(id), String(id)],
      [String(name), String(id)],
    ])
    const losses = new Map<string, number>()
    const rules = { apps: new Map(names), nowMs: systemClock().now() }
    await restoreAll(linesFromRecords(values, rules, losses), job)
    if (losses.size === 0) return
    const list = [...losses].map(([what, count]) => `${what} ${formatCount(count)}`).sort()
    note(
      order.shell,
      `Not imported, because they exist only at the other installation or their app is unknown here: ${list.join(', ')}.`,
    )
  })
}

async function importObjects(values: AsyncIterable<FileObject>, order: ImportJob): Promise<number> {
  if (!order.options.plan) return track(trackItemsOfObjects(values), order)
  return (await previewObjects(trackItemsOfObjects(values), order.shell)) === 0 ? 0 : 1
}

async function importSheet(text: AsyncIterable<string>, order: ImportJob): Promise<number> {
  const { options, shell } = order
  const sheet = await openPeopleTable(text, options.map, options.text)
  if (!options.plan) return track(trackItemsOfTable(sheet), order)
  await previewPeopleTable(sheet, clientOf(order), shell)
  return 0
}

async function track(items: AsyncIterable<TrackItem>, order: ImportJob): Promise<number> {
  const { config, options, source, shell } = order
  const client = clientOf(order)
  const batchMax = Math.min(config.batchMax, config.batchMaxPerArray ?? config.batchMax)
  const run = openFileRun(shell, 'objects', options.from)
  await trackAll(items, { shell, client, batchMax, run, share: source.share }).finally(run.close)
  return codeOf(run)
}

function clientOf({ config, options: { url } }: ImportJob): Client {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key with users.track.')
  return openClient(url ?? originIn(config), config.apiKey)
}

function codeOf({ ended, refused }: FileRun): number {
  return ended && refused === 0 ? 0 : 1
}
