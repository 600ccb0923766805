import { defineTagged, hasTag } from '../../base/http/etag.ts'
import { defineRoute, ReplyWithHeaders, type Route } from '../../base/http/route.ts'
import { selectedId, selectedWorkspace } from '../../workspace/settings/selected.ts'
import type { FlowKind } from '../flows/flow.ts'
import { checkDefinition } from './check-definition.ts'
import { staleText, toReply } from './describe-draft.ts'
import { discardDraft } from './discard-draft.ts'
import { findDraft } from './draft-store.ts'
import { type SavedDraft, saveDraft } from './save-draft.ts'
import { CheckBody, CheckReply, DraftQuery, DraftReply, SaveDraftBody, StaleDraftReply } from './schema.ts'

const nouns = { canvas: 'canvases', campaign: 'campaigns' } as const satisfies Readonly<Record<FlowKind, string>>
const admin = { permission: 'admin', errors: 'standard', query: DraftQuery } as const
const staleStatus = 412

/** Routes to the drafts of canvases and campaigns. A draft needs no flow: new ones begin as a draft. */
export function draftRoutes(): Route[] {
  return [...routesOf('canvas'), ...routesOf('campaign')]
}

function routesOf(kind: FlowKind): Route[] {
  const path = `/admin/${nouns[kind]}/{id}/draft` as const
  const checked = `/admin/${nouns[kind]}/check` as const
  const refusedWith = { [staleStatus]: StaleDraftReply }
  return [
    defineTagged({
      ...admin,
      method: 'GET',
      path,
      ability: `${nouns[kind]}.read`,
      summary: `Read the draft of a ${kind}, which need not exist.`,
      reply: { 200: DraftReply },
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const reply = toReply(await findDraft(call.db, { workspace_id, kind, id: request.params.id! }))
        const known = request.headers['if-none-match']
        if (reply.tag === null) return new ReplyWithHeaders(reply, {}, 200)
        const headers = { ETag: reply.tag }
        const isKnown = known !== undefined && hasTag(known, reply.tag)
        return isKnown ? new ReplyWithHeaders(undefined, headers, 304) : new ReplyWithHeaders(reply, headers, 200)
      },
    }),
    defineTagged({
      ...admin,
      method: 'PUT',
      path,
      ability: `${nouns[kind]}.edit`,
      summary: `Store a draft of a ${kind}: without If-Match when there is none, with it in place of the one with this tag.`,
      body: SaveDraftBody,
      reply: { 200: DraftReply },
      refusedWith,
      async handle(call, request) {
        const workspace_id = await selectedId(call, request)
        const key = { workspace_id, kind, id: request.params.id! }
        return answer(await saveDraft(call, key, request.body, request.headers['if-match']))
      },
    }),
    defineRoute({
      ...admin,
      method: 'POST',
      path: checked,
      ability: `${nouns[kind]}.read`,
      summary: `Say everything that is wrong with a ${kind} that is not stored, and what it says in words. Nothing is written.`,
      body: CheckBody,
      reply: { 200: CheckReply },
      handle: async (call, request) =>
        checkDefinition(call, await selectedWorkspace(call, request), kind, request.body),
    }),
    {
      ...defineRoute({
        ...admin,
        method: 'DELETE',
        path,
        ability: `${nouns[kind]}.edit`,
        summary: `Discard the draft of a ${kind}; with If-Match only the one with this tag.`,
        reply: { 204: null },
        refusals: { 404: 'There is no draft, or no such workspace.', [staleStatus]: 'Another draft is stored.' },
        refusedWith,
        async handle(call, request) {
          const workspace_id = await selectedId(call, request)
          const key = { workspace_id, kind, id: request.params.id! }
          const discarded = await discardDraft(call, key, request.headers['if-match'])
          return discarded.isStale ? answer(discarded) : undefined
        },
      }),
      tagged: true,
    },
  ]
}

/** Answers with the stored draft: 200, or 412 when it is not the one that the caller expected. */
function answer({ row, isStale }: SavedDraft): ReplyWithHeaders {
  const reply = toReply(row)
  const headers: Record<string, string> = reply.tag === null ? {} : { ETag: reply.tag }
  if (!isStale) return new ReplyWithHeaders(reply, headers, 200)
  return new ReplyWithHeaders({ message: staleText(row), ...reply }, headers, staleStatus)
}
