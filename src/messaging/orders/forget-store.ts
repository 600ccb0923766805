import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
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
