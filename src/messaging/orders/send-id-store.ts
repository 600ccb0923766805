import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { invalid } from '../../base/errors.ts'
import { sendOfAnother } from './order-schema.ts'

/** A send id and the campaign that it belongs to. */
export type SendId = { readonly workspace_id: number; readonly send_id: string; readonly flow_id: number }

/** Inserts a send id unless it is there. Returns the `flow_id` of the campaign that it belongs to. */
export async function insertSendId(tx: Tx, { workspace_id, send_id, flow_id }: SendId, nowMs: number): Promise<number> {
  const [row] = await tx.query<{ flow_id: number }>(sql`
    insert into send (workspace_id, send_id, flow_id, created_at)
    values (${workspace_id}, ${send_id}, ${flow_id}, ${timestampFromMs(nowMs)})
    on conflict (workspace_id, send_id) do update set flow_id = send.flow_id returning flow_id`)
  return row!.flow_id
}

/** Counts the send ids that a workspace has created since a time, up to `countMax`. */
export async function countSendIds(tx: Tx, workspace_id: number, sinceMs: number, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from send where workspace_id = ${workspace_id} and created_at > ${timestampFromMs(sinceMs)} limit ${countMax}) made`)
  return row!.count
}

/** Throws 400 for a send id of another campaign. One that was never created may be used with every campaign. */
export async function checkSendId(
  tx: Tx,
  workspace_id: number,
  send_id: string | undefined,
  flow_id: number | undefined,
): Promise<void> {
  if (send_id === undefined || flow_id === undefined) return
  const [row] = await tx.query<{ flow_id: number }>(sql`
    select flow_id from send where workspace_id = ${workspace_id} and send_id = ${send_id}`)
  if (row && row.flow_id !== flow_id) throw invalid(sendOfAnother)
}
