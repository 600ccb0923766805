import { type Confirmation, confirmationSentence, stateOf } from './confirmation.ts'
import type { OwnConfirmation } from './confirmation-store.ts'
import type { PersonConfirmation } from './schema.ts'

/** Returns the confirmations of a person as answers for administrators show them. Pure. */
export function describeConfirmations(asked: readonly OwnConfirmation[], nowMs: number): PersonConfirmation[] {
  return asked.map((each) => ({
    subscription_group_id: each.subscription_group_id,
    group: each.group_name,
    state: stateOf(each, nowMs),
    sentence: confirmationSentence(each, each.group_name, nowMs),
    ...describeTrace(each),
  }))
}

/** Returns who was asked, when, and by how many mails or texts. Pure. */
export function describeTrace(each: Confirmation) {
  return {
    address: each.address,
    keyword: each.keyword,
    source: each.source,
    form_id: each.form_id,
    requested_at: each.requested_at.toISOString(),
    requested_from: each.requested_from,
    sent_at: each.sent_at.toISOString(),
    sent_count: each.sent_count,
    expires_at: each.expires_at.toISOString(),
    confirmed_at: each.confirmed_at?.toISOString() ?? null,
    confirmed_from: each.confirmed_from,
  }
}
