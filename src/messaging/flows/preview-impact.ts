import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { isSameDefinition } from './config-section.ts'
import { unknownFlow } from './find-flows.ts'
import type { FlowKind } from './flow.ts'
import { countOpenEntries, findStoredFlow } from './flow-store.ts'
import { type Graphs, graphKey } from './graphs.ts'
import { computeImpact } from './impact.ts'
import { readGiven } from './read-given.ts'
import type { ImpactReply } from './schema.ts'

/**
 * Returns what publishing a definition would change, and how many people are at which step. Without a definition nothing would change.
 * Writes nothing. Throws 404 for an unknown flow, 400 with the path of every mistake of the definition.
 */
export async function previewImpact(
  { db }: Call,
  workspace: WorkspaceRow,
  kind: FlowKind,
  id: string,
  body: unknown,
  graphs: Graphs,
): Promise<ImpactReply> {
  const flow = await findStoredFlow(db, workspace.workspace_id, kind, id)
  if (!flow) throw unknownFlow(kind, id)
  const given = isObject(body) ? body.definition : null
  if (given !== undefined && !isObject(given)) throw invalid("'definition' must be an object")
  const next = given && (await readGiven(db, workspace, { kind, id, stored: flow }, given))
  const counts = await countOpenEntries(db, flow.flow_id)
  const { flow_id, version } = flow
  const versions = [...new Set([version, ...counts.map((count) => count.version)])]
  const read = await graphs.getAll(
    db,
    versions.map((number) => ({ flow_id, version: number })),
  )
  const byVersion = new Map(versions.map((number) => [number, read.get(graphKey({ flow_id, version: number }))!]))
  const current = byVersion.get(version)!
  return {
    version: next === undefined || isSameDefinition(flow.definition, next.definition) ? version : version + 1,
    ...computeImpact(current, next?.graph ?? current, byVersion, counts),
  }
}
