import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { bytesMistake, definitionOf, stateMistake } from '../flows/config-section.ts'
import { describeGiven } from '../flows/describe-given.ts'
import { listFlows } from '../flows/find-flows.ts'
import { type FlowDefinition, type FlowKind, flowStates } from '../flows/flow.ts'
import { findStoredFlow, type StoredFlow } from '../flows/flow-store.ts'
import { loadFlowWording } from '../flows/flow-wording.ts'
import { loadDefinitionContext } from '../flows/load-context.ts'
import { outlineDefinition } from '../flows/read-definition.ts'
import { definitionMembers, shapes } from '../flows/schema.ts'
import { findDraft } from './draft-store.ts'
import { openDefinition, restoreMarks } from './open-draft.ts'
import { hasMoreLevels } from './save-draft.ts'
import { type CheckReply, checkedMistakesMax, draftLevelsMax } from './schema.ts'

type Owner = Pick<WorkspaceRow, 'workspace_id' | 'settings'>

/** A flow that is not stored: its id, when it has one, and what is stored with this id. */
type Subject = { readonly kind: FlowKind; readonly id: string | undefined; readonly stored: StoredFlow | undefined }

const noDefinition = {
  canvas: 'an object with name, first and steps',
  campaign: 'an object with name and messages',
} as const satisfies Readonly<Record<FlowKind, string>>

/** Stands for the id of a flow that has none yet. */
const noId = 'new'

/**
 * Says everything that is wrong with a definition, and what it says in words. Writes nothing. Throws 400 only for a body that is no object
 * or whose `id` is no text.
 */
export async function checkDefinition(call: Call, owner: Owner, kind: FlowKind, body: unknown): Promise<CheckReply> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { definition: given, id = isObject(given) ? given.id : undefined } = body
  if (body.id !== undefined && body.id !== null && typeof body.id !== 'string') throw invalid("'id' must be text")
  const shape = shapes[kind]
  if (!isObject(given)) return nothingIn({ path: '', message: `must be ${noDefinition[kind]}` })
  // What is so deep cannot be read at all.
  if (hasMoreLevels(given, draftLevelsMax)) {
    return nothingIn({ path: '', message: `must be nested at most ${draftLevelsMax} deep` })
  }
  const subject = await findSubject(call, owner, kind, typeof id === 'string' ? id : undefined)
  const ofShape = mistakesOf(shape, given, '')
  const restored = await restore(call, owner, subject, given)
  const definition = definitionOf(definitionMembers(shape), restored)
  const outlined = outlineDefinition(
    kind,
    { ...definition, id: subject.id ?? noId },
    await loadDefinitionContext(call.db, owner),
  )
  const outline = describeGiven(kind, definition, outlined, await loadFlowWording(call.db, owner))
  const own = [...ofShape, ...outlined.mistakes, ...(await headMistakes(call, owner, subject, given))]
  const size = bytesMistake(kind, definition)
  const all = new Map([...own, ...(size ? [size] : [])].toReversed().map((mistake) => [mistake.path, mistake]))
  const mistakes = [...all.values()].toReversed()
  return {
    mistakes: mistakes.slice(0, checkedMistakesMax),
    has_more_mistakes: mistakes.length > checkedMistakesMax,
    sentences: Object.fromEntries((outline?.steps ?? []).map(({ id: step, sentence }) => [step, sentence])),
    outline,
  }
}

function nothingIn(mistake: Mistake): CheckReply {
  return { mistakes: [mistake], has_more_mistakes: false, sentences: {}, outline: null }
}

async function findSubject(
  { db }: Call,
  { workspace_id }: Owner,
  kind: FlowKind,
  id: string | undefined,
): Promise<Subject> {
  const isStorable = id !== undefined && id.isWellFormed() && !id.includes('\0')
  const stored = isStorable ? await findStoredFlow(db, workspace_id, kind, id) : undefined
  return { kind, id: isStorable ? id : undefined, stored }
}

/** Puts the texts of secret headers in place of their marks, as the write that publishes it would. */
async function restore(
  { db }: Call,
  { workspace_id }: Owner,
  { kind, id, stored }: Subject,
  given: FlowDefinition,
): Promise<FlowDefinition> {
  if (id === undefined) return given
  const key = { workspace_id, kind, id }
  const row = await findDraft(db, key)
  return restoreMarks(given, row && (await openDefinition(db, key, row)), stored?.definition)
}

/** Returns what is wrong with the name and the state beside what is stored. */
async function headMistakes(
  { db }: Call,
  { workspace_id }: Owner,
  { kind, id, stored }: Subject,
  { name, state }: FlowDefinition,
): Promise<Mistake[]> {
  const twin = (await listFlows(db, workspace_id, kind)).find((flow) => flow.name === name && flow.id !== id)
  const to = flowStates.find((each) => each === state)
  const refused = stored && to && stateMistake(stored, to)
  return [
    ...(twin ? [{ path: 'name', message: `is taken: id ${twin.id} has it` }] : []),
    ...(refused ? [refused.mistake] : []),
  ]
}
