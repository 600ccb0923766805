import {
  type GetAdminCanvasesIdEntriesReply,
  type GetAdminHeadsCanvasesReply,
  getAdminCampaignsIdEntries,
  getAdminCanvasesIdEntries,
} from '../../api/generated.ts'
import { paths } from '../../paths.ts'

/** A canvas or a campaign in a list. */
export type Flow = GetAdminHeadsCanvasesReply['canvases'][number]
/** The draft of a flow that was never published. */
export type UnpublishedDraft = GetAdminHeadsCanvasesReply['drafts'][number]
export type FlowKind = 'canvas' | 'campaign'
export type FlowRef = { readonly kind: FlowKind; readonly id: string }
/** A person who is or was in a flow. */
export type Entry = GetAdminCanvasesIdEntriesReply['entries'][number]

export const entriesOf = { canvas: getAdminCanvasesIdEntries, campaign: getAdminCampaignsIdEntries } as const

export const titles: Readonly<Record<FlowKind, string>> = { canvas: 'Canvases', campaign: 'Campaigns' }

/** How the state of a flow is drawn. */
export const familyOf = { draft: 'control', active: 'sent', paused: 'held', archived: 'control' } as const

export function pathOfFlow(kind: FlowKind, workspace: string, id: string): string {
  return kind === 'canvas' ? paths.canvas(workspace, id) : paths.campaign(workspace, id)
}

export function pathOfEditor(kind: FlowKind, workspace: string, id: string): string {
  return kind === 'canvas' ? paths.canvasEdit(workspace, id) : paths.campaignEdit(workspace, id)
}

export function pathOfFlows(kind: FlowKind, workspace: string): string {
  return kind === 'canvas' ? paths.canvases(workspace) : paths.campaigns(workspace)
}

export function pathOfRun({ kind, id }: FlowRef, workspace: string, entry: string): string {
  return paths.run(pathOfFlow(kind, workspace, id), entry)
}
