import type { SubscribeState } from '../profile/standard.ts'

/** Why an address is suppressed, and since when (epoch milliseconds). */
export type Suppression = { readonly reason: string; readonly atMs: number }

/** The current data that decides whether a person may get a mail. */
export type ConsentFacts = {
  readonly address: string | null
  readonly state: SubscribeState
  /** When the state was set, epoch milliseconds; null if it never was. */
  readonly stateAtMs: number | null
  /** The earliest suppression of the address. */
  readonly suppression: Suppression | null
}

/**
 * The subscription state that a message requires: `subscribed` includes people who opted in, `all` includes people who unsubscribed
 * (contract 4.11).
 */
export type RequiredState = 'opted_in' | 'subscribed' | 'all'

/** Why consent refuses a message. Each of these is also a reason of the ledger. */
export type ConsentReason = 'no_address' | 'suppressed' | 'unsubscribed'

/** A refusal: its reason, the rule as a sentence, and the values that the rule read. */
export type ConsentRefusal = {
  readonly reason: ConsentReason
  readonly rule: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/**
 * Returns why a person may not get a mail now; undefined if they may. A suppressed address gets no message at all, because it would bounce
 * for every kind of message.
 */
export function checkConsent(facts: ConsentFacts, required: RequiredState): ConsentRefusal | undefined {
  const { address, state, stateAtMs, suppression } = facts
  if (address === null) return { reason: 'no_address', rule: 'a mail needs an e-mail address', inputs: { email: null } }
  if (suppression) {
    const inputs = { suppressed: suppression.reason, as_of: iso(suppression.atMs) }
    return { reason: 'suppressed', rule: 'addresses that are suppressed get no mail', inputs }
  }
  if (allowed[required].includes(state)) return undefined
  const rule = `recipient_subscription_state is ${required}`
  const inputs = { email_subscribe: state, as_of: stateAtMs === null ? null : iso(stateAtMs) }
  return { reason: 'unsubscribed', rule, inputs }
}

const allowed: Readonly<Record<RequiredState, readonly SubscribeState[]>> = {
  opted_in: ['opted_in'],
  subscribed: ['opted_in', 'subscribed'],
  all: ['opted_in', 'subscribed', 'unsubscribed'],
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
