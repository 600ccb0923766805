import { int4Array, int8Array, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import type { LeasedMessage } from '../messages/message.ts'

/** What is counted: a message, and since when others count. */
export type CapWindow = {
  readonly message: Pick<LeasedMessage, 'bucket' | 'profile_id' | 'message_id'>
  readonly sinceMs: number
}

/** Messages that were planned so much earlier than they were sent are not found. */
const heldDaysMax = 30

/** Waits for whoever else holds these people, and holds them until the transaction ends. */
export async function lockProfiles(tx: Tx, people: readonly Person[]): Promise<void> {
  await tx.query(
    prepared(sql`
    select 1 from ${personRows(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    order by p.bucket, p.profile_id for no key update of p`),
  )
}

/** How many other marketing messages the same people had since then or may be having now, by the place of each; 0 is left out. */
export async function countSentMarketing(tx: Tx, asked: readonly CapWindow[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx.query<{ n: number; count: number }>(
    prepared(sql`
    select w.n::int as n, count(*)::int as count
    from unnest(
      ${int4Array(asked.map(({ message }) => message.bucket))}::int4[],
      ${int8Array(asked.map(({ message }) => message.profile_id))}::int8[],
      ${int8Array(asked.map(({ message }) => message.message_id))}::int8[],
      ${timestampArray(asked.map(({ sinceMs }) => Math.round(sinceMs * 1000)))}::timestamptz[])
      with ordinality w(bucket, profile_id, message_id, since, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.message_id <> w.message_id and m.class = 'marketing'
      and m.planned_at > w.since - ${heldDaysMax}::int4 * interval '1 day'
      and (m.state = 'handed_over' or m.state in ('accepted', 'uncertain') and m.ended_at > w.since)
    group by w.n`),
  )
  return new Map(rows.map(({ n, count }) => [n - 1, count]))
}
