import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

export type Send = { readonly workspace_id: number; readonly send_id: string; readonly flow_id: number }

/** Writes an identifier of sends unless it is there. Returns the campaign whose it is. */
export async function insertSend(tx: Tx, { workspace_id, send_id, flow_id }: Send, nowMs: number): Promise<number> {
  const [row] = await tx.query<{ flow_id: number }>(sql`
    insert into send (workspace_id, send_id, flow_id, created_at)
    values (${workspace_id}, ${send_id}, ${flow_id}, ${timestampFromMs(nowMs)})
    on conflict (workspace_id, send_id) do update set flow_id = send.flow_id returning flow_id`)
  return row!.flow_id
}

/** How many a workspace has made since, counted up to `countMax`. */
export async function countSends(tx: Tx, workspace_id: number, sinceMs: number, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from send where workspace_id = ${workspace_id} and created_at > ${timestampFromMs(sinceMs)} limit ${countMax}) made`)
  return row!.count
}
