import { type Failure, isUnavailable } from '../src/base/errors.ts'
import type { InputArray } from '../src/people/intake/schema.ts'
import { inputArrays } from '../src/people/intake/split-track.ts'
import { isObject } from '../src/people/values/values.ts'
import type { Client } from './client.ts'
import { note, type Outcome, type Shell } from './command.ts'
import { type FileRun, outcomeOf, reportRefused } from './file-run.ts'
import type { Fields, FileObject } from './json-objects.ts'
import type { LinePlan } from './line-plan.ts'
import { type FoundIds, lookUpIds, unknownIds } from './look-up-ids.ts'
import { formatCount } from './progress.ts'
import { type RefusedItem, sendItems } from './send-batch.ts'
import { areIndependent, batchesOf, type TrackBatch, type TrackItem } from './track-batches.ts'

/** Fields of both records and attributes objects. */
const sameFields =
  'first_name last_name email phone dob country home_city language gender time_zone email_subscribe push_subscribe'.split(
    ' ',
  )

/** The most requests at a time. The server reads one while it writes another. */
const requestsMax = 4

export type TrackJob = {
  shell: Shell
  client: Client
  run: FileRun
  /** Names this import in the keys of its requests. */
  name: string
  share(): number | undefined
}

/** A batch that was sent. */
type SentBatch = { readonly batch: TrackBatch; readonly refused: Promise<readonly RefusedItem[]> }

/** Sends the objects of a file in batches and prints how many were imported. */
export async function trackAll(items: AsyncIterable<TrackItem>, tracking: TrackJob): Promise<Outcome> {
  const { run, shell, client, name } = tracking
  const sent: SentBatch[] = []
  let lines = 0
  /** Waits for the oldest request, so that what is stored as done is always a beginning of the file. */
  const finishOldest = async (): Promise<void> => {
    const [{ batch, refused }] = sent as [SentBatch]
    const all = [...(await refused).map(({ item, reason }) => ({ ...item, problem: reason })), ...batch.unreadable]
    sent.shift()
    for (const { number, problem, text } of all.sort((a, b) => a.number - b.number || a.index - b.index))
      run.refuse(number, problem, text)
    lines += batch.items.length + batch.unreadable.length
    await run.done(batch.items.length, batch.next, tracking.share())
  }
  try {
    for await (const batch of batchesOf(itemsFrom(items, run))) {
      while (sent.length === requestsMax || sent.some((other) => !areIndependent(other.batch.people, batch.people)))
        await finishOldest()
      if (run.stopping) break
      const { line, index } = batch.start
      const refused = sendItems(batch.items, `import-${name}-${line}-${index}`, client)
      // It is awaited later, and must not end the process before that.
      refused.catch(() => {})
      sent.push({ batch, refused })
    }
    while (sent.length > 0) await finishOldest()
  } finally {
    await Promise.allSettled(sent.map(({ refused }) => refused))
  }
  run.ended = !run.stopping
  await run.close()
  const imported = lines - run.refused
  note(
    shell,
    `${formatCount(imported)} of ${formatCount(lines)} objects imported, ${formatCount(run.refused)} refused.`,
  )
  reportRefused(run, shell)
  return outcomeOf(run, { imported })
}

/** Leaves out the objects before the place at which the run begins. */
async function* itemsFrom(items: AsyncIterable<TrackItem>, { next, index }: FileRun): AsyncGenerator<TrackItem> {
  for await (const item of items) if (item.number > next || (item.number === next && item.index >= index)) yield item
}

/** Counts what would be sent and what would be refused, and looks people up if the server can be asked. */
export async function previewObjects(
  items: AsyncIterable<TrackItem>,
  plan: LinePlan,
  client: Client | undefined,
): Promise<Outcome> {
  const counts = { attributes: 0, events: 0, purchases: 0 }
  for await (const item of items) {
    plan.add(item)
    if (item.problem === undefined) counts[item.array]++
  }
  const ids = plan.end()
  const people =
    client === undefined ? unknownIds('EASEL_API_KEY is not set.') : await tryLookUp(ids, plan.lines, client)
  const lines = inputArrays.map((array) => `${array}: ${formatCount(counts[array])}`)
  return {
    result: { ...counts, ...plan.result, ...people.result },
    text: [...lines, people.text, plan.text].join('\n'),
    failed: plan.refused > 0,
  }
}

async function tryLookUp(ids: readonly string[], lines: number, client: Client): Promise<FoundIds> {
  try {
    return await lookUpIds(ids, lines, client)
  } catch (error) {
    // The rest of the plan needs no server.
    if (isUnavailable(error)) return unknownIds((error as Failure).message)
    throw error
  }
}

/** Yields the objects of track requests, and records as attributes objects. */
export async function* trackItemsOfObjects(values: AsyncIterable<FileObject>): AsyncGenerator<TrackItem> {
  for await (const each of values) {
    if (each.problem !== undefined) {
      yield each
      continue
    }
    const { number, index, text, value } = each
    const array = arrayOf(value)
    const fields = array ? (value[array] as Fields) : attributesOf(value)
    yield { number, index, text, array: array ?? 'attributes', fields }
  }
}

/** Returns the array of a track request to which a value belongs. `purchases` of a record is a list of summaries, not an object to send. */
export function arrayOf(value: Fields): InputArray | undefined {
  return inputArrays.find((name) => isObject(value[name]))
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
