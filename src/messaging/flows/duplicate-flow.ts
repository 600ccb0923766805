import type { Call } from '../../base/call.ts'
import { type Failure, invalid } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { isAbsent } from '../../content/texts/fields.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { lockConfig, raiseConfigVersion } from '../../workspace/settings/store.ts'
import { type FlowEntry, flowSections } from './config-section.ts'
import { readFlowId, unknownFlowId } from './find-flows.ts'
import type { FlowKind } from './flow.ts'
import { type CopyHead, CopyHeadShape } from './public-schema.ts'

/**
 * Copies the current version of a canvas or campaign under a new id and name. The copy is a draft: nobody enters it until it is
 * made active. Throws 400.
 */
export async function duplicateFlow(call: Call, body: unknown, kind: FlowKind) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const id = readFlowId(body[`${kind}_id`], kind)
  const head = readHead(body)
  const section = flowSections[kind]
  const copy_id = newUuid()
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    const all = await section.list(tx, workspace_id)
    const original = all.find((flow) => flow.id === id)
    if (!original) throw unknownFlowId(kind)
    if (all.some(({ name }) => name === head.name)) throw invalid(`'name' is taken: another ${kind} has it`)
    if (all.length >= section.countMax) {
      throw invalid(`The workspace has ${section.countMax} ${section.name}, which is as many as it can have`)
    }
    const copy = copyOf(original, copy_id, head)
    const [problem] = section.checkTogether?.([...all, copy]) ?? []
    if (problem) throw refusal({ ...problem.mistake, path: `${kind}_id` })
    await section.insert(tx, workspace_id, [copy], new Date(clock.now()))
    const target = { kind, id: copy_id, name: copy.name }
    await recordAudit(tx, call, { action: `${kind}.create`, target, after: section.toReply(copy), workspace_id })
    await raiseConfigVersion(tx)
  })
  return { id: copy_id }
}

function copyOf(original: FlowEntry, id: string, { name, description, tag_names }: CopyHead): FlowEntry {
  return {
    id,
    name,
    description: description ?? original.description,
    tags: tag_names ?? original.tags,
    state: 'draft',
    class: original.class,
    version: 1,
    definition: original.definition,
  }
}

/** Reads what the copy has of its own. A member that is null counts as absent. */
function readHead(body: Readonly<Record<string, unknown>>): CopyHead {
  const given = Object.entries(body).filter(([name, value]) => name in CopyHeadShape.properties && !isAbsent(value))
  const head = Object.fromEntries(given)
  const [mistake] = mistakesOf(CopyHeadShape, head, '')
  if (mistake) throw refusal(mistake)
  return head as CopyHead
}

function refusal({ path, message }: Mistake): Failure {
  return invalid(`'${path}' ${message}`)
}
