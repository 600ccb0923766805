import type { Priority } from '../../people/identity/prioritization.ts'
import type { FlowKind } from '../flows/flow.ts'
import type { EmailObject } from '../mail/email-object.ts'

/** Whom of those who are meant a message reaches: `subscribed` includes who opted in, `all` everybody (contract 4.11). */
export const wantedStates = ['opted_in', 'subscribed', 'all'] as const
export type WantedState = (typeof wantedStates)[number]

/** Names for a message of one person, as JSON has them. */
export type Properties = Readonly<Record<string, unknown>>

/** Somebody who is named one by one; by the id of the profile after a merge with somebody whom no request can name. */
export type Recipient = (RecipientName | { readonly profile_id: string }) & {
  /** Of this person alone, for an order of a canvas or a campaign; they go before those of the order. */
  readonly properties?: Properties
}

/** As a request names somebody. */
export type RecipientName =
  | { readonly external_user_id: string }
  | { readonly user_alias: { readonly alias_name: string; readonly alias_label: string } }
  /** In lower case. Without priorities: whoever has an external_id, and of those the one who was updated last. */
  | { readonly email: string; readonly prioritization?: readonly Priority[] }
  /** `profile_id`: whose it is by its check digits; absent when it is nobody's. */
  | { readonly service_id: string; readonly profile_id?: string }

/** An order that makes people enter a canvas or a campaign instead of sending to them. */
export type FlowTarget = {
  readonly flow_id: number
  readonly kind: FlowKind
  /** The canvas_id or campaign_id of the interface. */
  readonly id: string
  readonly by: 'api' | 'schedule'
  /** Of everybody. */
  readonly properties?: Properties
}

/**
 * What is sent to whom, read and checked; kept in `dispatch.sending` as it stands here. Whoever is named and, where they are given, in
 * the segment and in the audience; without `recipients` everybody who is in them, and with `broadcast` alone everybody there is.
 */
export type Sending = {
  readonly recipients?: readonly Recipient[]
  readonly segment_id?: string
  /** A tree as it was sent; `readAudience` has accepted it. */
  readonly audience?: unknown
  readonly broadcast: boolean
  readonly recipient_subscription_state: WantedState
  readonly override_frequency_capping: boolean
  /** Missing where there is a flow, or where nothing is delivered here: then there are no slots, and the order can still be changed. */
  readonly email?: EmailObject
  /** People enter this instead; then there is no e-mail here, and the flow's version says what they get. */
  readonly flow?: FlowTarget
  /** The campaign that messages are counted for. */
  readonly campaign?: { readonly flow_id: number; readonly variation_id: string }
}

/** Whether anything comes of an order here: without an e-mail and a flow it is only kept. */
export function hasEffect({ email, flow }: Sending): boolean {
  return email !== undefined || flow !== undefined
}

/** What messages are made of: an order that has any has an e-mail, or its flow has. */
export type EmailSending = Pick<Sending, 'recipient_subscription_state' | 'override_frequency_capping'> & {
  readonly email: EmailObject
}
