import { int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

export type EndedEntry = { bucket: number; entry_id: string }

/** Entries of a workspace that ended before and of which no message is under way. */
export function listEnded(tx: Tx, workspace_id: number, beforeMs: number, limit: number): Promise<EndedEntry[]> {
  return tx.query<EndedEntry>(sql`
    select e.bucket, e.entry_id from entry e
    where e.workspace_id = ${workspace_id} and e.state = 'ended' and e.ended_at < ${timestampFromMs(beforeMs)}
      and not exists (select 1 from message m where m.bucket = e.bucket and m.cause = e.entry_id and m.ended_at is null)
    order by e.ended_at limit ${limit}`)
}

/** Forgets entries with their messages and what people did with these. */
export async function deleteEnded(tx: Tx, entries: readonly EndedEntry[]): Promise<void> {
  const keys = sql`unnest(
      ${int4Array(entries.map(({ bucket }) => bucket))}::int4[], ${textArray(entries.map(({ entry_id }) => entry_id))}::text[])
      w(bucket, entry_id)`
  await tx.query(
    prepared(sql`
    with gone as (
      delete from message m using ${keys} where m.bucket = w.bucket and m.cause = w.entry_id::uuid
      returning m.bucket, m.profile_id, m.message_id)
    delete from engagement e using gone
    where e.bucket = gone.bucket and e.profile_id = gone.profile_id and e.message_id = gone.message_id`),
  )
  await tx.query(
    prepared(sql`delete from entry e using ${keys} where e.bucket = w.bucket and e.entry_id = w.entry_id::uuid`),
  )
}

/** Forgets some rows of people who never entered and were last refused before; answers how many. */
export async function deleteRefused(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const gone = await tx.query(sql`
    delete from received r using (
      select bucket, profile_id, flow_id from received
      where entries = 0 and refused_at < ${timestampFromMs(beforeMs)} and last_received_at is null limit ${limit} for update skip locked) w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id
    returning 1`)
  return gone.length
}
