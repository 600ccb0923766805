import type { Priority } from '../../people/identity/prioritization.ts'
import type { MessageFile } from '../channels/channel.ts'
import { channelNames } from '../channels/channels.ts'
import type { FlowKind } from '../flows/flow.ts'

/** The subscription state that a message requires (contract 4.11). `subscribed` includes `opted_in`; `all` is every state. */
export const wantedStates = ['opted_in', 'subscribed', 'all'] as const
export type WantedState = (typeof wantedStates)[number]

/** Values for the texts that one person gets, as JSON. */
export type Properties = Readonly<Record<string, unknown>>

/** A recipient that the request named. It becomes a `profile_id` after a merge into a person that no request can name. */
export type Recipient = (RecipientName | { readonly profile_id: string }) & {
  /** Properties of this person for a flow. They override those of the order. */
  readonly properties?: Properties
}

/** A recipient as the request named it. */
export type RecipientName =
  | { readonly external_user_id: string }
  | { readonly user_alias: { readonly alias_name: string; readonly alias_label: string } }
  /** Lower case. Without priorities: people with an external_id first, then the one who was updated last. */
  | { readonly email: string; readonly prioritization?: readonly Priority[] }
  /** `profile_id`: the profile that the check digits name, absent when they are wrong. */
  | { readonly service_id: string; readonly profile_id?: string }

/** The flow that an order makes people enter. */
export type FlowTarget = {
  readonly flow_id: number
  readonly kind: FlowKind
  /** The canvas_id or campaign_id of the interface. */
  readonly id: string
  readonly by: 'api' | 'schedule'
  /** Properties for all recipients. */
  readonly properties?: Properties
  /** Files for the messages of all recipients, beside those of the flow. */
  readonly attachments?: readonly MessageFile[]
}

/**
 * What an order sends, and its recipients, checked; stored in `dispatch.sending` beside the contents of channels (`contentsOf`). The
 * recipients are the named people that are in the segment and in the audience. Without `recipients` they are all people in both.
 */
export type Sending = {
  readonly recipients?: readonly Recipient[]
  readonly segment_id?: string
  /** A tree of conditions as the request gave it, checked by `parseAudience`. */
  readonly audience?: unknown
  readonly broadcast: boolean
  readonly recipient_subscription_state: WantedState
  readonly override_frequency_capping: boolean
  /** People enter this flow. Its version says what they get. */
  readonly flow?: FlowTarget
  /** The campaign that the messages belong to. */
  readonly campaign?: { readonly flow_id: number; readonly variation_id: string }
}

/** What an order sends by each channel, in members with the names of the channels. */
export type Contents = Readonly<Record<string, unknown>>

/**
 * Returns what an order sends. It is empty for a flow, and for channels that are not delivered: such an order has no slots, but can be
 * changed.
 */
export function contentsOf(sending: Sending): Contents {
  const stored = sending as unknown as Contents
  return Object.fromEntries(
    channelNames().flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]]])),
  )
}

/** Returns an order without what it sends. */
export function withoutContents(sending: Sending): Sending {
  const names = channelNames()
  return Object.fromEntries(Object.entries(sending).filter(([name]) => !names.includes(name))) as Sending
}

/** Whether an order sends anything. An order without a content and without a flow is only stored. */
export function hasEffect(sending: Sending): boolean {
  return sending.flow !== undefined || Object.keys(contentsOf(sending)).length > 0
}

/** What an order or a flow sends by one channel, with the rules that decide which people get it. */
export type ContentSending = Pick<Sending, 'recipient_subscription_state' | 'override_frequency_capping'> & {
  readonly content: unknown
}

/** Returns what an order sends by a channel; undefined when that was deleted. */
export function contentSending(sending: Sending, channel: string): ContentSending | undefined {
  const content = (sending as unknown as Contents)[channel]
  const { recipient_subscription_state, override_frequency_capping } = sending
  return content === undefined ? undefined : { content, recipient_subscription_state, override_frequency_capping }
}
