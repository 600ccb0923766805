import { parseArgs } from 'node:util'
import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { type Client, openClient, originIn } from './client.ts'
import { batchesOf, type Line } from './lines.ts'
import { note, UsageError, type Verb } from './verb.ts'

const noteEveryLines = 5000
const arrays = ['attributes', 'events', 'purchases'] as const
/** Fields that a record and an attributes object have in common. */
const sameFields =
  'first_name last_name email phone dob country home_city language gender time_zone email_subscribe push_subscribe'.split(
    ' ',
  )

type Fields = Record<string, unknown>
type ArrayName = (typeof arrays)[number]
type Item = { number: number; array: ArrayName; fields: Fields }
type Refusal = { type: string; input_array: ArrayName; index: number }
type Progress = { next: number; sent: number; refused: number; ended: boolean }

export const importVerb: Verb = {
  summary: 'send a file of people, one JSON object a line',
  usage: `Usage: npm run easel -- import FILE [--from LINE] [--url URL]

Each line is one of
  {"attributes": {...}}  {"events": {...}}  {"purchases": {...}}   an object of POST /users/track
  {"external_id": ..., "custom_attributes": {...}, ...}            a record that "export" wrote

Sends them in batches to the running server with EASEL_API_KEY, which needs users.track. Refused lines are told with
their number and the rest goes on. When it is stopped, it says the line to go on from. A batch whose answer was lost is
sent again, so its events can be there twice. Of an exported record the fields of the profile, the custom attributes
and the two subscription states are imported; summaries, push tokens, further aliases and dates are not.

  --from LINE   go on with this line
  --url URL     the server; HOST and PORT of the environment when absent`,
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { from: { type: 'string', default: '1' }, url: { type: 'string' } },
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) throw new UsageError('import takes one file.')
  if (!/^[1-9]\d{0,14}$/.test(values.from)) throw new UsageError('--from takes the number of a line.')
  const config = readConfig()
  if (config.apiKey === undefined) throw new UsageError('EASEL_API_KEY must be set to a key that may track.')
  const client = openClient(values.url ?? originIn(config), config.apiKey)
  const batchMax = Math.min(config.batchMax, config.batchMaxPerArray ?? config.batchMax)
  const progress = { next: Number(values.from), sent: 0, refused: 0, ended: false }
  await sendLines(client, path, batchMax, progress).finally(() => report(progress))
  return progress.ended && progress.refused === 0 ? 0 : 1
}

function report({ next, sent, refused, ended }: Progress): void {
  note(`${sent - refused} of ${sent} lines imported, ${refused} refused.`)
  if (!ended) note(`Stopped: go on with --from ${next}`)
}

async function sendLines(client: Client, path: string, batchMax: number, progress: Progress): Promise<void> {
  let stopping = false
  process.once('SIGINT', () => {
    stopping = true
  })
  for await (const lines of batchesOf(path, progress.next, batchMax)) {
    if (stopping) return
    progress.refused += await sendBatch(client, lines)
    progress.sent += lines.length
    progress.next = lines.at(-1)!.number + 1
    if (progress.sent % noteEveryLines < lines.length) note(`line ${progress.next - 1}`)
  }
  progress.ended = true
}

/** Sends some lines as one request and answers how many were refused. */
async function sendBatch(client: Client, lines: readonly Line[]): Promise<number> {
  const items = lines.flatMap((line) => itemOf(line) ?? [])
  const listed = (array: ArrayName) => items.filter((item) => item.array === array)
  const body = Object.fromEntries(arrays.map((array) => [array, listed(array).map(({ fields }) => fields)]))
  const unread = lines.length - items.length
  if (items.length === 0) return unread
  const answer = await client.send('POST', '/users/track', body)
  const refusals = ((answer.body.errors ?? []) as Partial<Refusal>[]).filter(
    (each): each is Refusal => each.index !== undefined,
  )
  if (answer.status !== 201 && refusals.length === 0) {
    throw new Failure('invalid', `the server at ${client.origin} answered ${answer.status}: ${answer.body.message}`)
  }
  for (const { input_array, index, type } of refusals) note(`line ${listed(input_array)[index]!.number}: ${type}`)
  return unread + refusals.length
}

function itemOf({ number, text }: Line): Item | undefined {
  const value = parsed(text)
  if (value === undefined) {
    note(`line ${number}: is not a JSON object`)
    return undefined
  }
  const array = arrays.find((name) => isFields(value[name]))
  // `purchases` of a record is a list of summaries; only a single object is one to send.
  return array
    ? { number, array, fields: value[array] as Fields }
    : { number, array: 'attributes', fields: attributesOf(value) }
}

/** A record of an export as an attributes object. */
function attributesOf(record: Fields): Fields {
  const { external_id, user_aliases, custom_attributes, last_coordinates } = record
  const [alias] = Array.isArray(user_aliases) ? user_aliases : []
  const [longitude, latitude] = Array.isArray(last_coordinates) ? last_coordinates : []
  const byAlias = external_id === undefined && alias !== undefined
  return {
    ...(isFields(custom_attributes) && custom_attributes),
    ...Object.fromEntries(sameFields.filter((name) => name in record).map((name) => [name, record[name]])),
    ...(longitude !== undefined && { current_location: { longitude, latitude } }),
    ...(external_id !== undefined && { external_id }),
    ...(byAlias && { user_alias: alias, _update_existing_only: false }),
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
