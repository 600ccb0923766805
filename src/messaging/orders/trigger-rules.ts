import type { FlowKind, FlowState } from '../flows/flow.ts'

/** What differs between the kinds of flows for requests that trigger one. */
export type TriggerRules = {
  /** The path that accepts orders with a schedule. */
  readonly createPath: string
  /** Refuses an order to a flow that people do not enter by the API. */
  readonly notTriggered: string
  /** The `notice` of an order that has no effect, verbatim from the interface; that of a draft is our own. */
  readonly notices: { readonly [state in FlowState]?: string }
  /** Whether `attributes` of a recipient may set `subscription_groups`. */
  readonly setsGroups: boolean
  /** Whether an order may have a `send_id`. */
  readonly hasSendId: boolean
  /** Whether an order may have `attachments`. */
  readonly sendsAttachments: boolean
}

export const triggerRules: Readonly<Record<FlowKind, TriggerRules>> = {
  canvas: {
    createPath: '/canvas/trigger/schedule/create',
    notTriggered: "The Canvas is not triggered by the API: its 'entry.by' does not name api",
    notices: {
      paused: 'The Canvas is paused. Resume the Canvas to ensure trigger requests will take effect.',
      archived: 'The Canvas is archived. Unarchive the Canvas to ensure trigger requests will take effect.',
      draft: 'The Canvas is a draft. Launch the Canvas to ensure trigger requests will take effect.',
    },
    setsGroups: false,
    hasSendId: false,
    sendsAttachments: false,
  },
  campaign: {
    createPath: '/campaigns/trigger/schedule/create',
    notTriggered: "The campaign is not triggered by the API: its 'entry.by' does not name api",
    notices: {
      paused: 'The campaign is paused. Resume the campaign in order for trigger requests to take effect.',
      archived: 'The campaign is archived. Unarchive the campaign in order for trigger requests to take effect.',
      draft: 'The campaign is a draft. Launch the campaign in order for trigger requests to take effect.',
    },
    setsGroups: true,
    hasSendId: true,
    sendsAttachments: true,
  },
}
