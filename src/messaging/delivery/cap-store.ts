import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import type { LeasedMessage } from '../messages/message.ts'

/** A message, and the start of the window in which other messages of the person count. */
export type CapWindow = {
  readonly message: Pick<LeasedMessage, 'bucket' | 'profile_id' | 'message_id'>
  readonly sinceMs: number
  /** The channel whose messages count; null: all. */
  readonly channel: string | null
}

/** The most days between the planned time of a message and its sending. A message that was held for longer is not counted. */
const heldDaysMax = 30

/** Locks these people until the transaction ends. Waits for other transactions that have them locked. */
export async function lockProfiles(tx: Tx, people: readonly Person[]): Promise<void> {
  await byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    select 1 from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where true ${withinPart(part, 'p')} order by p.bucket, p.profile_id for no key update of p`),
  )
}

/**
 * Returns how many other marketing messages each person got in the window, including messages in flight. The keys are indexes of `windows`;
 * counts of 0 are left out.
 */
export async function countSentMarketing(tx: Tx, windows: readonly CapWindow[]): Promise<ReadonlyMap<number, number>> {
  const found = await byShardWithItems<{ n: number; count: number }, CapWindow>(
    tx,
    windows,
    (part) =>
      prepared(sql`
    select w.n::int as n, count(*)::int as count
    from unnest(
      ${int4Array(part.items.map(({ message }) => message.bucket))}::int4[],
      ${int8Array(part.items.map(({ message }) => message.profile_id))}::int8[],
      ${int8Array(part.items.map(({ message }) => message.message_id))}::int8[],
      ${timestampArray(part.items.map(({ sinceMs }) => Math.round(sinceMs * 1000)))}::timestamptz[],
      ${textArray(part.items.map(({ channel }) => channel))}::text[])
      with ordinality w(bucket, profile_id, message_id, since, channel, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.message_id <> w.message_id and m.class = 'marketing'
      and (w.channel is null or m.channel = w.channel)
      and m.planned_at > w.since - ${heldDaysMax}::int4 * interval '1 day'
      and (m.state = 'handed_over' or m.state in ('accepted', 'uncertain') and m.ended_at > w.since)
    where true ${withinPart(part, 'm')} group by w.n`),
    ({ message }) => message.bucket,
  )
  return new Map(found.map(({ row, index }) => [index, row.count]))
}
