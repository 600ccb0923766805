import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import { mistakesToFailure } from '../../workspace/settings/mistake.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { definitionOf, isSameDefinition } from './config-section.ts'
import { unknownFlow } from './find-flows.ts'
import type { FlowDefinition, FlowKind, Graph } from './flow.ts'
import { countOpenEntries, findStoredFlow, type StoredFlow } from './flow-store.ts'
import { type Graphs, graphKey } from './graphs.ts'
import { computeImpact } from './impact.ts'
import { loadDefinitionContext } from './load-context.ts'
import { readDefinition } from './read-definition.ts'
import { CampaignShape, CanvasShape, definitionMembers, type ImpactReply } from './schema.ts'
import { restoreSecretHeaders } from './secret-headers.ts'

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
  const next = given && (await readGiven(db, workspace, flow, given))
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

type Given = { readonly definition: FlowDefinition; readonly graph: Graph }

/** Reads a definition that was given for a flow. Throws 400 with the path of every mistake. */
async function readGiven(
  db: Call['db'],
  workspace: WorkspaceRow,
  flow: StoredFlow,
  given: Readonly<Record<string, unknown>>,
): Promise<Given> {
  const { kind, id } = flow
  const shape = kind === 'canvas' ? CanvasShape : CampaignShape
  const mistakes = mistakesOf(shape, { name: flow.name, ...given }, 'definition')
  if (mistakes.length > 0) throw mistakesToFailure('', mistakes)
  const definition = restoreSecretHeaders(definitionOf(definitionMembers(shape), given), flow.definition)
  const next = readDefinition(kind, { ...definition, id }, await loadDefinitionContext(db, workspace))
  if ('mistake' in next) {
    const all = [next.mistake, ...next.more].map(({ path, message }) => {
      return { path: path === '' ? 'definition' : `definition.${path}`, message }
    })
    throw mistakesToFailure('', all)
  }
  return { definition, graph: next.graph }
}
