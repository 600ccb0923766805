import { parseArgs } from 'node:util'
import { systemClock } from '../src/base/clock.ts'
import { type Config, readConfig } from '../src/base/config.ts'
import { isObject } from '../src/people/values/values.ts'
import { atDesk } from './at-desk.ts'
import { type Client, openClient, originIn } from './client.ts'
import type { Desk } from './desk.ts'
import { written } from './progress.ts'
import { convert, type Item, layGround, type Restoring, restoreAll } from './restore.ts'
import { openRun, type Run } from './run.ts'
import { itemsOf, openSheet, previewSheet } from './sheet.ts'
import { openSource, peek, type Source } from './source.ts'
import { arrayOf, previewObjects, type TrackItem, trackAll, trackItemsOf } from './track.ts'
import { parsed, type Valued, valuesOf, valuesOfDocument } from './values.ts'
import { note, type Shell, UsageError, type Verb } from './verb.ts'

/** The longest first line that is looked at to tell what a file holds. */
const peekCharactersMax = 16 * 1024 * 1024

export const importVerb: Verb = {
  usage: `Usage: npm run easel -- import FILE [--workspace ID] [--plan] [--from LINE] [--url URL]

What is in FILE is recognised; - is standard input, and what is compressed with gzip is read as well.

  a file of "export"        Everybody with everything, as they were, history included. Who is here already stays as they
                            are: the same file twice changes nothing. Apps and subscription groups are made if missing.
  records of export/ids     JSON as POST /users/export/ids answers it, here or elsewhere: {"users": [...]}, a list, or one
                            record a line. New people are made with fields, attributes, aliases, devices, use of known
                            apps, push tokens of known apps. Summaries of events and purchases are no events: left out.
  objects of users/track    {"attributes": {...}}, {"events": {...}} or {"purchases": {...}} on each line.
  CSV                       A first line with headers, then a person a line; changes those who are here.

The first two work on the database when no server holds it, else through the server with EASEL_ADMIN_TOKEN. The others
send to the server with EASEL_API_KEY, which needs users.track; a batch whose answer was lost is sent again, so events of
it can be there twice. Lines that are refused are told with their number, and the rest goes on.

  --workspace ID   for the first two: into this workspace, the default one when absent
  --plan           write nothing: how many are new, how many here; of a CSV also its columns with examples
  --from LINE      go on with this line, as a stop has told
  --track          send records through users/track as well: people who are here are changed, fields, attributes and
                   subscription states only
  --map MAP        CSV: what columns become, HEADER=TARGET with commas between, for example "Email=email,Plan=custom.plan".
                   Targets: external_id, email, phone and the other fields of a profile, longitude, latitude, custom.NAME,
                   alias.LABEL, group.ID, or - for nothing. A header that is not named becomes the field of its name, or
                   a custom attribute. May be given several times
  --text           CSV: custom attributes stay text also where they read as numbers or as true and false
  --url URL        the server; HOST and PORT of the environment when absent`,
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
  if (kind === 'people') return importPeople(valuesOf(text), order)
  if (kind === 'csv') return importSheet(text, order)
  const all = known === undefined ? valuesOf(text) : listed(known)
  return kind === 'records' && !options.track ? importRecords(all, order) : importObjects(all, order)
}

/** A file that is to be imported, how, and by whom. */
type Order = { options: Options; source: Source; shell: Shell; config: Config }
type Kind = 'people' | 'records' | 'objects' | 'csv'
type Recognised = { kind: Kind; text: AsyncIterable<string>; values?: readonly Valued[] }

/** By the first line; a JSON document on many lines is read as a whole. */
async function recognise(source: Source): Promise<Recognised> {
  const { start, text } = await peek(source.text, peekCharactersMax)
  const [line = ''] = start.trimStart().split('\n')
  const value = parsed(line)
  if (value !== undefined && typeof value === 'object') return { kind: kindOf(value), text }
  if (!/^\s*[[{]/.test(start)) return { kind: start.trim() === '' ? 'objects' : 'csv', text }
  const values = await valuesOfDocument(text)
  if (values === undefined)
    throw new UsageError('the file begins like JSON and is none: neither its first line nor the whole of it.')
  return { kind: 'records', text, values }
}

function kindOf(value: unknown): Kind {
  if (isObject(value) && value.easel === 'people') return 'people'
  return isObject(value) && arrayOf(value) ? 'objects' : 'records'
}

async function* listed(values: readonly Valued[]): AsyncGenerator<Valued> {
  yield* values
}

/** Work on people as they are kept. Nothing left out: 0. */
async function atRestoring(
  { config, source, options, shell }: Order,
  work: (restoring: Restoring) => Promise<void>,
): Promise<number> {
  const run = openRun(shell, 'people', options.from)
  const { workspace, plan } = options
  await atDesk(shell, config, options.url, async (desk: Desk) => {
    await work({ shell, desk, workspace, plan, run, share: source.share, made: new Set() })
  }).finally(run.close)
  return codeOf(run)
}

function importPeople(values: AsyncIterable<Valued>, order: Order): Promise<number> {
  return atRestoring(order, async (restoring) => {
    await restoreAll(linesIn(values, restoring), restoring)
  })
}

/** The lines after the head, which is read wherever the import goes on. */
async function* linesIn(values: AsyncIterable<Valued>, restoring: Restoring): AsyncGenerator<Item> {
  for await (const each of values) {
    if (each.problem !== undefined) yield each
    else if (each.value.easel === 'people') await layGround(each.value, restoring)
    else yield { number: each.number, line: each.value, bytes: each.bytes }
  }
}

function importRecords(values: AsyncIterable<Valued>, order: Order): Promise<number> {
  return atRestoring(order, async (restoring) => {
    const apps = await restoring.desk.list('apps', restoring.workspace)
    const names = apps.flatMap(({ id, name }): [string, string][] => [
      [String(id), String(id)],
      [String(name), String(id)],
    ])
    const losses = new Map<string, number>()
    const rules = { apps: new Map(names), nowMs: systemClock().now() }
    await restoreAll(convert(values, rules, losses), restoring)
    if (losses.size === 0) return
    const list = [...losses].map(([what, count]) => `${what} ${written(count)}`).sort()
    note(
      order.shell,
      `Left out, because only the other installation has them or their app is not here: ${list.join(', ')}.`,
    )
  })
}

async function importObjects(values: AsyncIterable<Valued>, order: Order): Promise<number> {
  if (!order.options.plan) return track(trackItemsOf(values), order)
  return (await previewObjects(trackItemsOf(values), order.shell)) === 0 ? 0 : 1
}

async function importSheet(text: AsyncIterable<string>, order: Order): Promise<number> {
  const { options, shell } = order
  const sheet = await openSheet(text, options.map, options.text)
  if (!options.plan) return track(itemsOf(sheet), order)
  await previewSheet(sheet, clientOf(order), shell)
  return 0
}

async function track(items: AsyncIterable<TrackItem>, order: Order): Promise<number> {
  const { config, options, source, shell } = order
  const client = clientOf(order)
  const batchMax = Math.min(config.batchMax, config.batchMaxPerArray ?? config.batchMax)
  const run = openRun(shell, 'objects', options.from)
  await trackAll(items, { shell, client, batchMax, run, share: source.share }).finally(run.close)
  return codeOf(run)
}

function clientOf({ config, options: { url } }: Order): Client {
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may track.')
  return openClient(url ?? originIn(config), config.apiKey)
}

function codeOf({ ended, refused }: Run): number {
  return ended && refused === 0 ? 0 : 1
}
