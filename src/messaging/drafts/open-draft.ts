import type { Tx } from '../../base/db/db.ts'
import type { FlowDefinition } from '../flows/flow.ts'
import { restoreSecretHeaders } from '../flows/secret-headers.ts'
import { definitionOf } from './describe-draft.ts'
import { type DraftKey, type DraftRow, openTexts } from './draft-store.ts'
import { withHeaderTexts } from './hidden-headers.ts'

/** Returns the definition of a draft with the texts of secret headers. */
export async function openDefinition(tx: Tx, key: DraftKey, row: DraftRow): Promise<FlowDefinition> {
  return withHeaderTexts(definitionOf(row), await openTexts(tx, key, row))
}

/** Puts the texts of secret headers in place of their marks: those of the draft, then those of the flow. Pure. */
export function restoreMarks(
  given: FlowDefinition,
  draft: FlowDefinition | undefined,
  flow: FlowDefinition | undefined,
): FlowDefinition {
  return restoreSecretHeaders(restoreSecretHeaders(given, draft), flow)
}
