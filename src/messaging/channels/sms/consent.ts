import type { ChannelConsent, ConsentRefusal, RequiredState } from '../channel.ts'
import { type TextConsentRow, textColumns, textConsentJoin } from './consent-store.ts'
import type { TextMessage } from './content.ts'
import { isPossibleNumber } from './phone-number.ts'

export const textConsent: ChannelConsent<TextMessage, TextConsentRow> = {
  columns: textColumns,
  join: textConsentJoin,
  addressOf: ({ e164 }) => e164,
  trackingOf: () => ({ opens: false, clicks: false }),
  mayWait: ({ e164 }) => e164 !== null,
  check: checkTextConsent,
}

/**
 * Returns why a person may not get a text now. Text messages have no subscription state beside those of groups, so the group of the text
 * decides. A person who has left it gets no text, whatever the message requires, but for the question whether they want to return.
 */
export function checkTextConsent(
  { phone, e164, text_groups, invalid_reason, invalid_at }: TextConsentRow,
  { subscription_group_id: group, confirmation }: Pick<TextMessage, 'subscription_group_id' | 'confirmation'>,
  required: RequiredState,
): ConsentRefusal | undefined {
  if (e164 === null || !isPossibleNumber(e164)) {
    return {
      reason: 'no_address',
      rule: 'a text message needs a phone number with its country code',
      inputs: { phone },
    }
  }
  if (invalid_reason !== null) {
    const inputs = { invalid: invalid_reason, as_of: invalid_at?.toISOString() ?? null }
    return { reason: 'suppressed', rule: 'numbers that are known to be invalid get no text messages', inputs }
  }
  const [state, at] = (text_groups && Object.hasOwn(text_groups, group) ? text_groups[group] : undefined) ?? []
  if (state === 'subscribed' || confirmation || (state === undefined && required === 'all')) return undefined
  const inputs = { subscription_group_id: group, state: state ?? null, as_of: at ? new Date(at).toISOString() : null }
  const rule = state === undefined ? 'the person never subscribed to the group' : 'the person has left the group'
  return { reason: 'group_unsubscribed', rule, inputs }
}
