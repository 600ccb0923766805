import type { NewAuditEntry } from '../../workspace/audit/record.ts'
import { flowSections } from '../flows/config-section.ts'
import { describeChanges } from '../flows/describe-changes.ts'
import type { FlowDefinition } from '../flows/flow.ts'
import type { StoredFlow } from '../flows/flow-store.ts'
import { definitionOf } from './describe-draft.ts'
import type { DraftKey, DraftRow } from './draft-store.ts'
import { auditedChangeCharactersMax } from './schema.ts'

/** What became of a draft. */
export type DraftAction = 'save_draft' | 'discard_draft' | 'publish_draft'

/** A draft with its definition as answers show it. */
type Shown = Pick<DraftRow, 'base_version' | 'name'> & { readonly definition: FlowDefinition }

/**
 * Returns the audit row of a write of a draft. It says in words what differs, and does not have the whole draft: editors store it often.
 * Pure.
 */
export function draftEntry(
  action: DraftAction,
  { workspace_id, kind, id }: DraftKey,
  name: string,
  change: { readonly before?: object; readonly after?: object },
): NewAuditEntry {
  return { action: `${kind}.${action}`, target: { kind, id, ...(name !== '' && { name }) }, ...change, workspace_id }
}

/** Returns what a saved draft changes: in the earlier draft, or in the flow when there was none. Pure. */
export function savedChange(before: Shown | undefined, flow: StoredFlow | undefined, after: Shown): object {
  const from = before?.definition ?? (flow && flowSections[flow.kind].toReply(flow)) ?? {}
  return { base_version: after.base_version, ...differences(from, after.definition) }
}

/** Returns what a draft that is gone would have changed in the flow. Pure. */
export function lostChange(row: DraftRow, flow: StoredFlow | undefined): object {
  const from = flow ? flowSections[flow.kind].toReply(flow) : {}
  return { base_version: row.base_version, ...differences(from, definitionOf(row)) }
}

function differences(before: FlowDefinition, after: FlowDefinition): object {
  const { changes, has_more_changes } = describeChanges(before, after)
  return { changes: changes.map(storable), has_more_changes }
}

/** A draft may have names of any length, with characters that the database does not store. */
function storable(change: string): string {
  const isLong = change.length > auditedChangeCharactersMax
  const text = isLong ? `${change.slice(0, auditedChangeCharactersMax)}...` : change
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
