import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { FlowKind } from './flow.ts'

/** What a canvas or campaign is called outside, by its number; those that are not there any more included. */
export type FlowName = { flow_id: number; kind: FlowKind; id: string }

export function listFlowNames(tx: Tx, workspace_id: number): Promise<FlowName[]> {
  return tx.query<FlowName>(
    sql`select flow_id, kind, id from flow where workspace_id = ${workspace_id} order by flow_id`,
  )
}
