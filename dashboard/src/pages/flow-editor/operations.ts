import {
  deleteAdminCampaignsIdDraft,
  deleteAdminCanvasesIdDraft,
  type GetAdminCanvasesIdDraftReply,
  getAdminCampaignsIdDraft,
  getAdminCanvasesIdDraft,
  type PatchAdminCampaignsIdBody,
  type PatchAdminCanvasesIdBody,
  type PostAdminCampaignsBody,
  type PostAdminCanvasesBody,
  type PostAdminCanvasesIdDryRunReply,
  patchAdminCampaignsId,
  patchAdminCanvasesId,
  postAdminCampaigns,
  postAdminCampaignsCheck,
  postAdminCampaignsIdDryRun,
  postAdminCampaignsIdImpact,
  postAdminCanvases,
  postAdminCanvasesCheck,
  postAdminCanvasesIdDryRun,
  postAdminCanvasesIdImpact,
  putAdminCampaignsIdDraft,
  putAdminCanvasesIdDraft,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import type { Definition } from '../../canvas/edit/ways.ts'
import type { FlowRef } from '../flows/flow-words.ts'

/** A draft as the server keeps it. `base_version` is null for a flow that is not published yet. */
export type StoredDraft = NonNullable<DraftReply['draft']>
export type DraftReply = Pick<GetAdminCanvasesIdDraftReply, 'draft' | 'tag'>
/** Who would enter, and why the others would not. */
export type DryRun = PostAdminCanvasesIdDryRunReply

type Query = { readonly workspace: string }

/** The requests of the editors, by the kind of the flow. */
export const flowOperations = {
  canvas: {
    readDraft: getAdminCanvasesIdDraft,
    writeDraft: putAdminCanvasesIdDraft,
    deleteDraft: deleteAdminCanvasesIdDraft,
    check: postAdminCanvasesCheck,
    dryRun: postAdminCanvasesIdDryRun,
    impact: postAdminCanvasesIdImpact,
  },
  campaign: {
    readDraft: getAdminCampaignsIdDraft,
    writeDraft: putAdminCampaignsIdDraft,
    deleteDraft: deleteAdminCampaignsIdDraft,
    check: postAdminCampaignsCheck,
    dryRun: postAdminCampaignsIdDryRun,
    impact: postAdminCampaignsIdImpact,
  },
} as const

/** Lets a write be refused when what is stored has another tag now. Null: nothing is stored. */
export function ifTag<Reply>(operation: Operation<Reply>, tag: string | null): Operation<Reply> {
  return tag === null ? operation : { ...operation, ifMatch: tag }
}

/**
 * Publishes a definition, and removes the draft with this tag. `published`: the ETag of the flow that it changes; null for a new one. The
 * definition may have mistakes: the server says which.
 */
export function publishDefinition(
  { kind, id }: FlowRef,
  body: Definition,
  tags: { readonly published: string | null; readonly draft: string | null },
  { workspace }: Query,
): Operation<unknown> {
  const query = { workspace, ...(tags.draft !== null && { draft: tags.draft }) }
  if (tags.published === null) {
    return kind === 'canvas'
      ? postAdminCanvases(body as PostAdminCanvasesBody, query)
      : postAdminCampaigns(body as PostAdminCampaignsBody, query)
  }
  const change: Operation<unknown> =
    kind === 'canvas'
      ? patchAdminCanvasesId(id, body as PatchAdminCanvasesIdBody, query)
      : patchAdminCampaignsId(id, body as PatchAdminCampaignsIdBody, query)
  return ifTag(change, tags.published)
}
