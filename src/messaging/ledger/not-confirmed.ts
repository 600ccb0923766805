import { notConfirmedRule } from '../../people/confirmations/confirmation.ts'
import type { OwnConfirmation } from '../../people/confirmations/confirmation-store.ts'
import type { DecisionReason } from './reasons.ts'

/** Returns the reason for a person who gets something after a confirmation that has not been given. Pure. */
export function notConfirmed(asked: OwnConfirmation, inputs: object): DecisionReason & { readonly rule: string } {
  const { group_name, subscription_group_id, expires_at, requested_at } = asked
  const times = { requested_at: requested_at.toISOString(), expires_at: expires_at.toISOString() }
  return {
    reason: 'not_confirmed',
    rule: notConfirmedRule(group_name, asked),
    inputs: { ...inputs, subscription_group_id, ...times },
  }
}
