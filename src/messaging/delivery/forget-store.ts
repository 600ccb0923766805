import { int4Array, int8Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

export type OldDispatch = { dispatch_id: string; created_at: Date }

/** The next dispatches of a workspace that were asked for before, the oldest first. */
export async function listOld(
  tx: Tx,
  workspace_id: number,
  beforeMs: number,
  after: OldDispatch | undefined,
  limit: number,
): Promise<OldDispatch[]> {
  const page = after
    ? sql`and (d.created_at, d.dispatch_id) > (${after.created_at}::timestamptz, ${after.dispatch_id}::uuid)`
    : sql``
  return tx.query<OldDispatch>(sql`
    select d.dispatch_id, d.created_at from dispatch d
    where d.workspace_id = ${workspace_id} and d.created_at < ${timestampFromMs(beforeMs)} ${page}
      and not exists (select 1 from dispatch_slot s
        where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'held', 'running'))
    order by d.created_at, d.dispatch_id limit ${limit}`)
}

export type OldMessage = { bucket: number; profile_id: string; message_id: string }

/** Messages of a dispatch that ended before. */
export async function listEnded(tx: Tx, dispatch_id: string, beforeMs: number, limit: number): Promise<OldMessage[]> {
  return tx.query<OldMessage>(sql`
    select bucket, profile_id, message_id from message
    where cause = ${dispatch_id}::uuid and ended_at < ${timestampFromMs(beforeMs)} limit ${limit}`)
}

/** Forgets messages and what people did with them. */
export async function deleteOld(tx: Tx, messages: readonly OldMessage[]): Promise<void> {
  const keys = sql`unnest(
      ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${int8Array(messages.map(({ profile_id }) => profile_id))}::int8[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[]) w(bucket, profile_id, message_id)`
  await tx.query(
    prepared(sql`
    delete from engagement e using ${keys}
    where e.bucket = w.bucket and e.profile_id = w.profile_id and e.message_id = w.message_id`),
  )
  await tx.query(
    prepared(sql`delete from message m using ${keys} where m.bucket = w.bucket and m.message_id = w.message_id`),
  )
}

/** Forgets a dispatch of which nothing is left but itself; false when something is. */
export async function deleteDispatch(tx: Tx, dispatch_id: string): Promise<boolean> {
  const gone = await tx.query(sql`
    delete from dispatch d where d.dispatch_id = ${dispatch_id}::uuid
      and not exists (select 1 from message m where m.cause = d.dispatch_id)
      and not exists (select 1 from entry e where e.dispatch_id = d.dispatch_id)
      and not exists (select 1 from dispatch_slot s
        where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'held', 'running'))
    returning 1`)
  if (gone.length === 0) return false
  await tx.query(sql`delete from dispatch_slot where dispatch_id = ${dispatch_id}::uuid`)
  await tx.query(sql`delete from deleted_messages where cause = ${dispatch_id}::uuid`)
  return true
}
