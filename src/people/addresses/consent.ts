import type { SubscribeState } from '../profile/standard.ts'

/** Why an address is not written to, and since when (epoch milliseconds). */
export type Suppression = { readonly reason: string; readonly atMs: number }

/** What decides whether somebody may get a mail, as it stands now. */
export type ConsentFacts = {
  readonly address: string | null
  readonly state: SubscribeState
  /** When the state was said, epoch milliseconds; null when it never was. */
  readonly stateAtMs: number | null
  /** The first reason that the address is not written to. */
  readonly suppression: Suppression | null
}

/** Whom a message reaches: `subscribed` includes who opted in, `all` everybody (contract 4.11). */
export type RequiredState = 'opted_in' | 'subscribed' | 'all'

/** Why an address gets no message. Each of these is a reason of the ledger as well. */
export type ConsentReason = 'no_address' | 'suppressed' | 'unsubscribed'

/** A refusal: its reason, the rule as a sentence, and the values that the rule read. */
export type ConsentRefusal = {
  readonly reason: ConsentReason
  readonly rule: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/**
 * Why somebody may not get a mail now; undefined when nothing is against it. An address that is not written to gets nothing, whatever
 * is wanted: what bounces does so for every class of message.
 */
export function judgeConsent(facts: ConsentFacts, wanted: RequiredState): ConsentRefusal | undefined {
  const { address, state, stateAtMs, suppression } = facts
  if (address === null) return { reason: 'no_address', rule: 'a mail needs an e-mail address', inputs: { email: null } }
  if (suppression) {
    const inputs = { suppressed: suppression.reason, as_of: iso(suppression.atMs) }
    return { reason: 'suppressed', rule: 'addresses that are suppressed get no mail', inputs }
  }
  if (allowed[wanted].includes(state)) return undefined
  const rule = `recipient_subscription_state is ${wanted}`
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
