import { Failure } from '../src/base/errors.ts'
import { isObject } from '../src/people/values/values.ts'
import type { Client } from './client.ts'
import { note, type Outcome, type Shell } from './command.ts'
import { type FileRun, outcomeOf } from './file-run.ts'
import type { Fields, FileObject } from './json-objects.ts'
import { formatCount } from './progress.ts'

const arrays = ['attributes', 'events', 'purchases'] as const
/** Fields of both records and attributes objects. */
const sameFields =
  'first_name last_name email phone dob country home_city language gender time_zone email_subscribe push_subscribe'.split(
    ' ',
  )

type ArrayName = (typeof arrays)[number]

/** One object for `POST /users/track` with the number of its line, or the problem with that line. */
export type TrackItem =
  | { number: number; array: ArrayName; fields: Fields; problem?: undefined }
  | { number: number; problem: string }
type Sendable = Extract<TrackItem, { fields: Fields }>
type Refusal = { type: string; input_array: ArrayName; index: number }

export type TrackJob = { shell: Shell; client: Client; batchMax: number; run: FileRun; share(): number | undefined }

/** Sends the objects of a file in batches and prints how many were imported. */
export async function trackAll(items: AsyncIterable<TrackItem>, tracking: TrackJob): Promise<Outcome> {
  const { run, batchMax, shell } = tracking
  let batch: Sendable[] = []
  let lines = 0
  const send = async (next: number): Promise<void> => {
    if (batch.length > 0) await sendBatch(batch, tracking)
    run.done(batch.length, next, tracking.share())
    batch = []
  }
  for await (const item of items) {
    if (item.number < run.next) continue
    if (batch.length === batchMax) {
      await send(item.number)
      if (run.stopping) break
    }
    lines++
    if (item.problem === undefined) batch.push(item)
    else run.refuse(item.number, item.problem)
  }
  if (!run.stopping) {
    await send((batch.at(-1)?.number ?? run.next - 1) + 1)
    run.ended = true
  }
  run.close()
  const imported = lines - run.refused
  note(
    shell,
    `${formatCount(imported)} of ${formatCount(lines)} objects imported, ${formatCount(run.refused)} refused.`,
  )
  return outcomeOf(run, { imported })
}

async function sendBatch(batch: readonly Sendable[], { client, run }: TrackJob): Promise<void> {
  const listed = (array: ArrayName) => batch.filter((item) => item.array === array)
  const body = Object.fromEntries(arrays.map((array) => [array, listed(array).map(({ fields }) => fields)]))
  const answer = await client.send('POST', '/users/track', body)
  const refusals = ((answer.body.errors ?? []) as Partial<Refusal>[]).filter(
    (each): each is Refusal => each.index !== undefined,
  )
  if (answer.status !== 201 && refusals.length === 0) {
    throw new Failure('invalid', `the server at ${client.origin} answered ${answer.status}: ${answer.body.message}`)
  }
  for (const { input_array, index, type } of refusals) run.refuse(listed(input_array)[index]!.number, type)
}

/** Counts what would be sent, and the lines that cannot be read. */
export async function previewObjects(items: AsyncIterable<TrackItem>): Promise<Outcome> {
  const counts = { attributes: 0, events: 0, purchases: 0 }
  let bad = 0
  for await (const item of items) {
    if (item.problem !== undefined) bad++
    else counts[item.array]++
  }
  const lines = arrays.map((array) => `${array}: ${formatCount(counts[array])}`)
  const text = [...lines, `${formatCount(bad)} lines cannot be read.`].join('\n')
  return { result: { ...counts, unreadable: bad }, text, failed: bad > 0 }
}

/** Yields the objects of track requests, and records as attributes objects. */
export async function* trackItemsOfObjects(values: AsyncIterable<FileObject>): AsyncGenerator<TrackItem> {
  for await (const each of values) {
    if (each.problem !== undefined) {
      yield each
      continue
    }
    const { number, value } = each
    const array = arrayOf(value)
    const fields = array ? (value[array] as Fields) : attributesOf(value)
    yield { number, array: array ?? 'attributes', fields }
  }
}

/** Returns the array of a track request to which a value belongs. `purchases` of a record is a list of summaries, not an object to send. */
export function arrayOf(value: Fields): ArrayName | undefined {
  return arrays.find((name) => isObject(value[name]))
}

function attributesOf(record: Fields): Fields {
  const { external_id, user_aliases, custom_attributes, last_coordinates } = record
  const [alias] = Array.isArray(user_aliases) ? user_aliases : []
  const [longitude, latitude] = Array.isArray(last_coordinates) ? last_coordinates : []
  const byAlias = external_id === undefined && alias !== undefined
  return {
    ...(isObject(custom_attributes) && custom_attributes),
    ...Object.fromEntries(sameFields.filter((name) => name in record).map((name) => [name, record[name]])),
    ...(longitude !== undefined && { current_location: { longitude, latitude } }),
    ...(external_id !== undefined && { external_id }),
    ...(byAlias && { user_alias: alias, _update_existing_only: false }),
  }
}
