import type { Tx } from '../../base/db/db.ts'
import { type Failure, invalid, notFound } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import type { Flow, FlowKind } from './flow.ts'
import { findFlowRow, listFlowRows, listFlowsById } from './flow-store.ts'

/** Returns the canvas or campaign with this id of the interface. Undefined when there is none or it was deleted. */
export async function findFlow(tx: Tx, workspace_id: number, kind: FlowKind, id: string): Promise<Flow | undefined> {
  return isCleanText(id) ? findFlowRow(tx, workspace_id, kind, id) : undefined
}

/** Refuses the id of a flow, verbatim from the interface (contract 4.8). */
const invalidFlowId: Readonly<Record<FlowKind, string>> = {
  canvas: 'canvas_id must be a string of the Canvas api identifier',
  campaign: 'campaign_id must be a string of the campaign api identifier',
}

/** Reads a `canvas_id` or `campaign_id`. Throws 400. */
export function readFlowId(given: unknown, kind: FlowKind): string {
  if (typeof given !== 'string' || given === '' || !isCleanText(given)) throw invalid(invalidFlowId[kind])
  return given
}

/** Returns the canvas or campaign with this id of the interface. Throws 400. */
export async function getFlow(tx: Tx, workspace_id: number, kind: FlowKind, id: string): Promise<Flow> {
  const flow = await findFlow(tx, workspace_id, kind, id)
  if (!flow) throw unknownFlowId(kind)
  return flow
}

/** Refuses the id of a flow that does not exist: 400. */
export function unknownFlowId(kind: FlowKind): Failure {
  return invalid(invalidFlowId[kind])
}

/** Refuses an id in a path of the administration: 404. */
export function unknownFlow(kind: FlowKind, id: string): Failure {
  return notFound(`There is no ${kind} ${JSON.stringify(id)}`)
}

/** Returns all flows of a kind, the oldest first, including archived ones. */
export function listFlows(tx: Tx, workspace_id: number, kind: FlowKind): Promise<Flow[]> {
  return listFlowRows(tx, workspace_id, kind)
}

/** Returns flows by `flow_id`, including deleted ones: people have received messages of them. */
export async function flowsById(tx: Tx, flow_ids: Iterable<number>): Promise<Map<number, Flow>> {
  const wanted = [...new Set(flow_ids)]
  if (wanted.length === 0) return new Map()
  return new Map((await listFlowsById(tx, wanted)).map((flow) => [flow.flow_id, flow]))
}
