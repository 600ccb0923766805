import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { DispatchState, Locked } from './dispatch-store.ts'

/** Another state for a dispatch; its messages follow page by page (`settle.ts`). */
export async function updateState(tx: Tx, dispatch_id: string, state: DispatchState, nowMs: number): Promise<void> {
  await tx.query(sql`
    update dispatch set state = ${state}, unsettled = true, updated_at = ${timestampFromMs(nowMs)},
      resumed_at = case when ${state} = 'active' then ${timestampFromMs(nowMs)} else resumed_at end
    where dispatch_id = ${dispatch_id}::uuid`)
}

/** Dispatches whose messages have not all followed yet. */
export async function listUnsettled(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ dispatch_id: string }>(sql`
    select dispatch_id from dispatch where unsettled order by updated_at desc limit ${limit}`)
  return rows.map(({ dispatch_id }) => dispatch_id)
}

/** One of them, held until the end of the transaction; undefined while somebody else sees to it. */
export async function lockUnsettled(tx: Tx, dispatch_id: string): Promise<Locked | undefined> {
  const [row] = await tx.query<Locked>(sql`
    select dispatch_id, workspace_id, class, state from dispatch
    where dispatch_id = ${dispatch_id}::uuid and unsettled for update skip locked`)
  return row
}

export async function updateSettled(tx: Tx, dispatch_id: string): Promise<void> {
  await tx.query(sql`update dispatch set unsettled = false where dispatch_id = ${dispatch_id}::uuid`)
}
