import { contentTag, hasTag } from '../../base/http/etag.ts'
import { parseJson } from '../../base/parse-json.ts'
import type { FlowDefinition } from '../flows/flow.ts'
import type { DraftHeadRow, DraftRow } from './draft-store.ts'
import type { DraftHead, DraftReply, NewFlowHead } from './schema.ts'

/** Returns the ETag of a stored draft. Secrets are in it, as they are stored. */
export function tagOf(row: DraftRow): string {
  const { definition, secrets, updated_at } = row
  return contentTag([definition, secrets?.toString('base64') ?? null, updated_at.getTime(), headOf(row)])
}

/** Returns a draft as answers have it, or that there is none. */
export function toReply(row: DraftRow | undefined): DraftReply {
  if (!row) return { draft: null, tag: null }
  return { draft: { definition: definitionOf(row), ...headOf(row) }, tag: tagOf(row) }
}

/** Returns the definition of a draft without the texts of secret headers. */
export function definitionOf({ definition }: Pick<DraftRow, 'definition'>): FlowDefinition {
  return parseJson(definition) as FlowDefinition
}

export function headOf({ base_version, author_kind, author_id, author_name, updated_at }: DraftHeadRow): DraftHead {
  const author = { kind: author_kind, id: author_id, name: author_name }
  return { base_version, author, updated_at: updated_at.toISOString() }
}

/** Returns a draft of a flow that does not exist yet, for a list. */
export function newFlowHead(row: DraftHeadRow): NewFlowHead {
  const { author, updated_at } = headOf(row)
  return { id: row.id, name: row.name, author, updated_at }
}

/** Says why a write is refused: another draft is stored, or none. */
export function staleText(row: DraftRow | undefined): string {
  if (!row) return 'There is no draft any more: it was published or discarded.'
  return `${row.author_name} saved another draft at ${row.updated_at.toISOString()}. Nothing was changed.`
}

/** Whether the stored draft is the one with this tag; without a tag: whether there is none. */
export function isExpected(stored: DraftRow | undefined, ifMatch: string | undefined): boolean {
  if (ifMatch === undefined) return stored === undefined
  return stored !== undefined && hasTag(ifMatch, tagOf(stored))
}
