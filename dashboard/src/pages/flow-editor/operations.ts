import type { Operation } from '../../api/operation.ts'
import { withQuery } from '../../api/operation.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import type { Outline } from '../../canvas/words.ts'
import type { FlowRef } from '../flows/flow-words.ts'

/** A draft as the server keeps it. */
export type StoredDraft = {
  readonly definition: Definition
  /** The version that was changed; null for a flow that is not published yet. */
  readonly base_version: number | null
  readonly author: { readonly kind: string; readonly id: string; readonly name: string } | null
  readonly updated_at: string
}
export type DraftReply = { readonly draft: StoredDraft | null; readonly tag: string | null }
export type CheckReply = {
  readonly mistakes: readonly { readonly path: string; readonly message: string }[]
  readonly sentences: Readonly<Record<string, string>>
  readonly outline: Outline | null
}

type Query = { readonly workspace: string }
const lists = { canvas: '/admin/canvases', campaign: '/admin/campaigns' } as const

function pathOf({ kind, id }: FlowRef, more = ''): string {
  return `${lists[kind]}/${encodeURIComponent(id)}${more}`
}

export function readFlow(flow: FlowRef, query: Query): Operation<Readonly<Record<string, unknown>>> {
  return { method: 'GET', path: withQuery(pathOf(flow), query) }
}

export function readDraft(flow: FlowRef, query: Query): Operation<DraftReply> {
  return { method: 'GET', path: withQuery(pathOf(flow, '/draft'), query) }
}

type DraftBody = { readonly definition: Definition; readonly base_version: number | null }

/** Stores a draft in place of the one with this tag; null when there is none. */
export function writeDraft(flow: FlowRef, body: DraftBody, tag: string | null, query: Query): Operation<DraftReply> {
  const path = withQuery(pathOf(flow, '/draft'), query)
  return { method: 'PUT', path, body, ...(tag !== null && { ifMatch: tag }) }
}

export function deleteDraft(flow: FlowRef, tag: string | null, query: Query): Operation<unknown> {
  const path = withQuery(pathOf(flow, '/draft'), query)
  return { method: 'DELETE', path, ...(tag !== null && { ifMatch: tag }) }
}

export function checkDefinition({ kind, id }: FlowRef, definition: Definition, query: Query): Operation<CheckReply> {
  return { method: 'POST', path: withQuery(`${lists[kind]}/check`, query), body: { id, definition } }
}

/** Who would enter, and why the others would not. */
export type DryRun = {
  readonly as_of: string
  readonly complete: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly variants: Readonly<Record<string, number>>
  readonly notice?: string
  readonly sample: readonly { readonly outcome: string; readonly because: string }[]
}

type DryRunBody = { readonly definition: Definition; readonly segment_id?: string }

export function dryRunDefinition(flow: FlowRef, body: DryRunBody, query: Query): Operation<DryRun> {
  return { method: 'POST', path: withQuery(pathOf(flow, '/dry_run'), query), body }
}

/** Publishes a definition, and removes the draft with this tag. `published`: the ETag of the flow that it changes; null for a new one. */
export function publishDefinition(
  flow: FlowRef,
  body: Definition,
  tags: { readonly published: string | null; readonly draft: string | null },
  { workspace }: Query,
): Operation<Readonly<Record<string, unknown>>> {
  const query = { workspace, ...(tags.draft !== null && { draft: tags.draft }) }
  if (tags.published === null) return { method: 'POST', path: withQuery(lists[flow.kind], query), body }
  return { method: 'PATCH', path: withQuery(pathOf(flow), query), body, ifMatch: tags.published }
}
