import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { charactersMax, isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import { Id } from '../../workspace/settings/schema.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import type { FlowDefinition } from '../flows/flow.ts'
import { findStoredFlow } from '../flows/flow-store.ts'
import { draftEntry, savedChange } from './audit-draft.ts'
import { definitionOf, isExpected } from './describe-draft.ts'
import { countOtherDrafts, type DraftKey, type DraftRow, findDraft, upsertDraft } from './draft-store.ts'
import { takeHeaderTexts } from './hidden-headers.ts'
import { openDefinition, restoreMarks } from './open-draft.ts'
import { allDraftBytesMax, draftBytesMax, draftLevelsMax, draftsMax } from './schema.ts'

/** A draft that was given, checked as far as a draft is: its size, and nothing of what it says. */
type GivenDraft = { readonly definition: FlowDefinition; readonly base_version: number | null }

/** The stored draft. `isStale`: it is another one than the caller expected, and nothing was written. */
export type SavedDraft = { readonly row: DraftRow | undefined; readonly isStale: boolean }

/**
 * Stores a draft of a flow, in place of the one with the tag `ifMatch`. Without a tag it is stored only when there is none. Of several
 * callers with one tag one succeeds. Throws 400 for a draft that is too large, or one too many.
 */
export async function saveDraft(
  call: Call,
  key: DraftKey,
  body: unknown,
  ifMatch: string | undefined,
): Promise<SavedDraft> {
  const [mistake] = mistakesOf(Id, key.id, 'id')
  if (mistake) throw invalid(`'id' ${mistake.message}`)
  const given = readDraft(body)
  return call.db.transaction(async (tx) => {
    await lockConfig(tx)
    const before = await findDraft(tx, key)
    if (!isExpected(before, ifMatch)) return { row: before, isStale: true }
    await replaceDraft(tx, call, key, given, before)
    return { row: await findDraft(tx, key), isStale: false }
  })
}

/** Writes a draft unless it is the same as before. */
async function replaceDraft(
  tx: Tx,
  call: Call,
  key: DraftKey,
  given: GivenDraft,
  before: DraftRow | undefined,
): Promise<void> {
  const { base_version } = given
  const flow = await findStoredFlow(tx, key.workspace_id, key.kind, key.id)
  const earlier = before && (await openDefinition(tx, key, before))
  const definition = restoreMarks(given.definition, earlier, flow?.definition)
  const isSame = JSON.stringify(earlier) === JSON.stringify(definition)
  if (before && isSame && before.base_version === base_version) return
  const { shown, texts } = takeHeaderTexts(definition)
  const text = JSON.stringify(shown)
  const draft = { name: nameOf(shown), definition: text, bytes: Buffer.byteLength(text), base_version, texts }
  await checkRoom(tx, key, draft.bytes)
  await upsertDraft(tx, key, draft, call.actor, call.clock.now())
  const stored = before && { ...before, definition: definitionOf(before) }
  const after = savedChange(stored, flow, { ...draft, definition: shown })
  await recordAudit(tx, call, draftEntry('save_draft', key, draft.name || (flow?.name ?? ''), { after }))
}

/** Refuses a draft for which a workspace has no room. Throws 400. */
async function checkRoom(tx: Tx, key: DraftKey, ownBytes: number): Promise<void> {
  const others = await countOtherDrafts(tx, key)
  if (others.drafts >= draftsMax) {
    throw invalid(`The workspace has ${draftsMax} drafts of this kind, which is as many as it can have: discard one`)
  }
  if (others.bytes + ownBytes > allDraftBytesMax) {
    throw invalid(`All drafts of this kind in a workspace must be at most ${allDraftBytesMax} bytes: discard one`)
  }
}

function readDraft(body: unknown): GivenDraft {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { definition, base_version = null } = body
  if (!isObject(definition)) throw invalid("'definition' must be an object")
  if (base_version !== null && !isVersion(base_version)) {
    throw invalid("'base_version' must be the number of a version, or null")
  }
  if (hasMoreLevels(definition, draftLevelsMax)) {
    throw invalid(`'definition' must be nested at most ${draftLevelsMax} deep`)
  }
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes > draftBytesMax) {
    throw invalid(`'definition' must be at most ${draftBytesMax} bytes as JSON, not ${bytes}`)
  }
  return { definition, base_version }
}

function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) < 2 ** 31
}

/** Whether a value has more levels of arrays and objects. Looks no deeper, so that no value exhausts the stack. */
export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (!Array.isArray(value) && !isObject(value)) return false
  return levels === 0 || Object.values(value).some((inner) => hasMoreLevels(inner, levels - 1))
}

/** Returns the name that lists show: the beginning of what the draft has, if it is a text. */
function nameOf({ name }: FlowDefinition): string {
  if (typeof name !== 'string') return ''
  const beginning = [...name.slice(0, 2 * charactersMax).toWellFormed()].slice(0, charactersMax).join('')
  return beginning.replaceAll('\0', '').trim()
}
