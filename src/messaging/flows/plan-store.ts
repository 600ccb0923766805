import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Flow } from './flow.ts'

/** A flow whose schedule is due to be planned. `planMs`: from which instant on, epoch milliseconds. */
export type FlowToPlan = Pick<Flow, 'flow_id' | 'workspace_id' | 'kind' | 'id' | 'state' | 'class' | 'version'> & {
  readonly planMs: number
}

/** Has a row when the schedule of a flow, except `others`, is due to be planned. */
export function flowToPlanProbe(nowMs: number, others: readonly number[]): Sql {
  return sql`
    select 1 from flow where plan_at <= ${timestampFromMs(nowMs)} and flow_id <> all(${int4Array(others)}::int4[]) limit 1`
}

/** Returns whether the schedule of a flow, except `others`, is due to be planned. */
export async function hasFlowToPlan(tx: Tx, nowMs: number, others: readonly number[]): Promise<boolean> {
  const rows = await tx.query(prepared(flowToPlanProbe(nowMs, others)))
  return rows.length > 0
}

/** Locks the flow, except `others`, whose schedule was due first to be planned. */
export async function lockFlowToPlan(
  tx: Tx,
  nowMs: number,
  others: readonly number[],
): Promise<FlowToPlan | undefined> {
  const [row] = await tx.query<Omit<FlowToPlan, 'planMs'> & { plan_at: Date }>(sql`
    select flow_id, workspace_id, kind, id, state, class, version, plan_at from flow
    where plan_at <= ${timestampFromMs(nowMs)} and flow_id <> all(${int4Array(others)}::int4[])
    order by plan_at limit 1 for no key update skip locked`)
  if (!row) return undefined
  const { plan_at, ...flow } = row
  return { ...flow, planMs: plan_at.getTime() }
}

/** Sets when the schedule of a flow is planned next; undefined: never. */
export async function updateNextPlan(tx: Tx, flow_id: number, nextMs: number | undefined): Promise<void> {
  await tx.query(
    sql`update flow set plan_at = ${nextMs === undefined ? sql`null` : timestampFromMs(nextMs)} where flow_id = ${flow_id}`,
  )
}
