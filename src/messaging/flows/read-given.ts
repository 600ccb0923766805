import type { Call } from '../../base/call.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import { mistakesToFailure } from '../../workspace/settings/mistake.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { isSealedMark } from '../channels/webhook/secret-header.ts'
import { definitionOf } from './config-section.ts'
import type { FlowDefinition, FlowKind, Graph } from './flow.ts'
import type { StoredFlow } from './flow-store.ts'
import { loadDefinitionContext } from './load-context.ts'
import { readDefinition } from './read-definition.ts'
import { definitionMembers, shapes } from './schema.ts'
import { restoreSecretHeaders, withHeaders } from './secret-headers.ts'

export type GivenDefinition = { readonly definition: FlowDefinition; readonly graph: Graph }

/** The flow that a definition is for. `stored` is undefined before it is published. */
export type GivenFor = { readonly kind: FlowKind; readonly id: string; readonly stored: StoredFlow | undefined }

/** Stands for the text of a secret header that only a draft has: what is asked about does not depend on it. */
const unknownText = 'unknown'

/** Reads a definition that was given for a flow and is not stored. Throws 400 with the path of every mistake. */
export async function readGiven(
  db: Call['db'],
  workspace: WorkspaceRow,
  { kind, id, stored }: GivenFor,
  given: Readonly<Record<string, unknown>>,
): Promise<GivenDefinition> {
  const shape = shapes[kind]
  const mistakes = mistakesOf(shape, { ...(stored && { name: stored.name }), ...given }, 'definition')
  if (mistakes.length > 0) throw mistakesToFailure('', mistakes)
  const own = definitionOf(definitionMembers(shape), given)
  const restored = restoreSecretHeaders(own, stored?.definition)
  const definition = withHeaders(restored, (value) => (isSealedMark(value) ? unknownText : value))
  const next = readDefinition(kind, { ...definition, id }, await loadDefinitionContext(db, workspace))
  if ('graph' in next) return { definition, graph: next.graph }
  const all = [next.mistake, ...next.more].map(({ path, message }) => {
    return { path: path === '' ? 'definition' : `definition.${path}`, message }
  })
  throw mistakesToFailure('', all)
}
