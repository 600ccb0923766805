import type { Call } from '../../base/call.ts'
import { notFound } from '../../base/errors.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { findStoredFlow } from '../flows/flow-store.ts'
import { draftEntry, lostChange } from './audit-draft.ts'
import { isExpected } from './describe-draft.ts'
import { type DraftKey, deleteDraft, findDraft } from './draft-store.ts'
import type { SavedDraft } from './save-draft.ts'

/** Deletes a draft; with `ifMatch` only the one with this tag. Throws 404 when there is none and no tag was given. */
export async function discardDraft(call: Call, key: DraftKey, ifMatch: string | undefined): Promise<SavedDraft> {
  return call.db.transaction(async (tx) => {
    await lockConfig(tx)
    const row = await findDraft(tx, key)
    if (ifMatch !== undefined && !isExpected(row, ifMatch)) return { row, isStale: true }
    if (!row) throw notFound(`There is no draft of the ${key.kind} ${JSON.stringify(key.id)}`)
    await deleteDraft(tx, key)
    const flow = await findStoredFlow(tx, key.workspace_id, key.kind, key.id)
    const before = lostChange(row, flow)
    await recordAudit(tx, call, draftEntry('discard_draft', key, row.name || (flow?.name ?? ''), { before }))
    return { row: undefined, isStale: false }
  })
}
