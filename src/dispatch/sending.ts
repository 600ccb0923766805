import type { EmailObject } from '../mail/object.ts'

export const classes = ['transactional', 'marketing'] as const
export type Class = (typeof classes)[number]

/** Whom of those who are meant a message reaches: `subscribed` includes who opted in, `all` everybody (contract 4.11). */
export const wantedStates = ['opted_in', 'subscribed', 'all'] as const
export type WantedState = (typeof wantedStates)[number]

/** Somebody who is named one by one; by the id of the profile after a merge with somebody whom no request can name. */
export type Recipient = Asked | { readonly profile_id: string }

/** As a request names somebody. */
export type Asked =
  | { readonly external_user_id: string }
  | { readonly user_alias: { readonly alias_name: string; readonly alias_label: string } }

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
  /** Missing where nothing of the order is delivered here: then it has no slots, and is kept so that it can be changed. */
  readonly email?: EmailObject
}

/** What messages are made of: an order that has any has an e-mail. */
export type Delivered = Sending & { readonly email: EmailObject }
