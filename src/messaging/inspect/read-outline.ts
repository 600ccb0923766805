import type { Call } from '../../base/call.ts'
import { describeGraph, type Outline } from '../flows/describe-steps.ts'
import { loadFlowWording } from '../flows/flow-wording.ts'
import { graphKey } from '../flows/graphs.ts'
import { type FlowPath, getFlowAt, type StandingServices } from './read-standing.ts'

/** Returns a version of a flow in words; null for one that an earlier release accepted and this one cannot read. Throws 404. */
export async function readOutline(
  { db }: Pick<Call, 'db'>,
  path: FlowPath,
  version: number,
  { graphs, workspaces }: Pick<StandingServices, 'graphs' | 'workspaces'>,
): Promise<Outline | null> {
  return db.transaction(async (tx) => {
    const { flow_id } = await getFlowAt(tx, path)
    const { found } = await graphs.getReadable(tx, [{ flow_id, version }])
    const graph = found.get(graphKey({ flow_id, version }))
    if (!graph) return null
    const { workspace_id } = path
    return describeGraph(
      graph,
      await loadFlowWording(tx, { workspace_id, settings: workspaces.get(workspace_id).settings }),
    )
  })
}
