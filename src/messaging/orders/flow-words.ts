import type { FlowKind, FlowState } from '../flows/flow.ts'

/** How the interface speaks of one kind of flow, and where the kinds differ for who triggers them. */
export type FlowWords = {
  readonly kind: FlowKind
  /** The member that names one. */
  readonly idName: `${FlowKind}_id`
  /** Beginning of the paths of its sending calls. */
  readonly path: string
  /** Refuses an id that none has, verbatim from the interface (contract 4.8). */
  readonly unknown: string
  /** Refuses an order to one that people do not enter by the interface. */
  readonly notTriggered: string
  /** What is said besides where an order has no effect, verbatim from the interface; a draft is our own word. */
  readonly notices: { readonly [state in FlowState]?: string }
  /** Whether `attributes` of a recipient set states of groups too. */
  readonly setsGroups: boolean
  /** Whether an order is counted under a `send_id`. */
  readonly hasSendId: boolean
}

export const canvasWords: FlowWords = {
  kind: 'canvas',
  idName: 'canvas_id',
  path: '/canvas/trigger',
  unknown: 'canvas_id must be a string of the Canvas api identifier',
  notTriggered: "The Canvas is not triggered by the API: its 'entry.by' does not name api",
  notices: {
    paused: 'The Canvas is paused. Resume the Canvas to ensure trigger requests will take effect.',
    archived: 'The Canvas is archived. Unarchive the Canvas to ensure trigger requests will take effect.',
    draft: 'The Canvas is a draft. Launch the Canvas to ensure trigger requests will take effect.',
  },
  setsGroups: false,
  hasSendId: false,
}

export const campaignWords: FlowWords = {
  kind: 'campaign',
  idName: 'campaign_id',
  path: '/campaigns/trigger',
  unknown: 'campaign_id must be a string of the campaign api identifier',
  notTriggered: "The campaign is not triggered by the API: its 'entry.by' does not name api",
  notices: {
    paused: 'The campaign is paused. Resume the campaign in order for trigger requests to take effect.',
    archived: 'The campaign is archived. Unarchive the campaign in order for trigger requests to take effect.',
    draft: 'The campaign is a draft. Launch the campaign in order for trigger requests to take effect.',
  },
  setsGroups: true,
  hasSendId: true,
}
