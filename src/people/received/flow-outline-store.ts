import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { FlowSummary, OutlinedFlow } from './flow-outline.ts'

/** Writes the outlines of flows. The flows are locked. */
export async function upsertFlowOutlines(tx: Tx, workspace_id: number, flows: readonly OutlinedFlow[]): Promise<void> {
  await tx.query(sql`
    insert into flow_outline as o (flow_id, workspace_id, kind, id, name, version, outline)
    select flow_id, ${workspace_id}::int, kind, id, name, version, outline
    from jsonb_to_recordset(${JSON.stringify(flows)}::jsonb)
      as given (flow_id int, kind text, id text, name text, version int, outline jsonb)
    on conflict (flow_id) do update set name = excluded.name, version = excluded.version, outline = excluded.outline`)
}

/** Includes deleted flows, because people have received messages of them. */
export function listFlowSummaries(tx: Tx, flow_ids: readonly number[]): Promise<FlowSummary[]> {
  return tx.query<FlowSummary>(
    prepared(sql`
    select flow_id, kind, id, name, version from flow_outline where flow_id = any(${int4Array(flow_ids)}::int4[])`),
  )
}

export type OutlineRow = Pick<OutlinedFlow, 'flow_id' | 'version' | 'outline'>

export function listFlowOutlines(tx: Tx, flow_ids: readonly number[]): Promise<OutlineRow[]> {
  return tx.query<OutlineRow>(
    prepared(
      sql`select flow_id, version, outline from flow_outline where flow_id = any(${int4Array(flow_ids)}::int4[])`,
    ),
  )
}

/** Returns the kinds and ids that the interface uses for the flows of a workspace, including deleted flows. */
export function listFlowIds(tx: Tx, workspace_id: number): Promise<Pick<FlowSummary, 'flow_id' | 'kind' | 'id'>[]> {
  return tx.query(sql`select flow_id, kind, id from flow_outline where workspace_id = ${workspace_id} order by flow_id`)
}
