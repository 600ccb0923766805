import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { findFlow, unknownFlow } from '../flows/find-flows.ts'
import type { Flow, FlowKind, Graph } from '../flows/flow.ts'
import { findStoredFlow } from '../flows/flow-store.ts'
import type { Graphs } from '../flows/graphs.ts'
import { classOf } from '../flows/read-definition.ts'
import { readGiven } from '../flows/read-given.ts'

/** The flow that is tried, and its definition. `isGiven`: the request gave the definition, and people would enter once it runs. */
export type DryRunSubject = { readonly flow: Flow; readonly graph: Graph; readonly isGiven: boolean }

/**
 * Returns the flow as it runs, or with the definition that the request gives, also before it is published. Throws 404 for a flow that is
 * neither stored nor given, and 400 with the path of every mistake of a definition.
 */
export async function dryRunSubject(
  { db, clock }: Call,
  workspace: WorkspaceRow,
  kind: FlowKind,
  id: string,
  given: unknown,
  graphs: Graphs,
): Promise<DryRunSubject> {
  const { workspace_id } = workspace
  const flow = await findFlow(db, workspace_id, kind, id)
  if (given === undefined || given === null) {
    if (!flow) throw unknownFlow(kind, id)
    return { flow, graph: await graphs.get(db, flow.flow_id, flow.version), isGiven: false }
  }
  if (!isObject(given)) throw invalid("'definition' must be an object")
  const stored = flow && (await findStoredFlow(db, workspace_id, kind, id))
  const { definition, graph } = await readGiven(db, workspace, { kind, id, stored }, given)
  const base = flow ?? unpublished({ workspace_id, kind, id, name: String(given.name) }, new Date(clock.now()))
  return { flow: { ...base, class: classOf(definition) }, graph, isGiven: true }
}

/** No flow has this id in the database: nobody has entered it or received anything of it. */
const unpublishedId = 0

function unpublished(given: Pick<Flow, 'workspace_id' | 'kind' | 'id' | 'name'>, at: Date): Flow {
  return {
    ...given,
    ...{ flow_id: unpublishedId, description: '', tags: [], state: 'draft', class: 'marketing', version: 1 },
    ...{ created_at: at, updated_at: at },
    ...{ first_entry_at: null, last_entry_at: null, first_sent_at: null, last_sent_at: null },
  }
}
