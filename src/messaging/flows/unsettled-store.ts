import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import type { FlowState } from './flow.ts'

/** Has a row when a flow is unsettled. */
export function unsettledFlowProbe(): Sql {
  return sql`select 1 from flow where unsettled`
}

/** Returns flows whose entries and messages have not followed a change of the state yet. */
export async function listUnsettledFlows(tx: Tx, limit: number): Promise<number[]> {
  const rows = await tx.query<{ flow_id: number }>(
    sql`select flow_id from flow where unsettled order by updated_at limit ${limit}`,
  )
  return rows.map(({ flow_id }) => flow_id)
}

/** Locks an unsettled flow and returns its state. Undefined when nothing is left to do. */
export async function lockUnsettledFlow(tx: Tx, flow_id: number): Promise<FlowState | undefined> {
  const [row] = await tx.query<{ state: FlowState }>(sql`
    select state from flow where flow_id = ${flow_id} and unsettled for no key update`)
  return row?.state
}

export async function markFlowSettled(tx: Tx, flow_id: number): Promise<void> {
  await tx.query(sql`update flow set unsettled = false where flow_id = ${flow_id}`)
}
