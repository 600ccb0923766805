import type { SubscribeState } from '../../../people/profile/standard.ts'
import type { ChannelConsent, ConsentRefusal, RequiredState } from '../channel.ts'
import { type PushConsentRow, pushColumns, type TokenOfDevice, tokensJoin } from './consent-store.ts'
import { type PushMessage, type PushName, platformOf } from './push-message.ts'
import { readSubscription, serviceOf } from './subscription.ts'

const deviceWords = { web_push: 'a browser', apple_push: 'an Apple device', android_push: 'an Android device' } as const

export function pushConsent(name: PushName): ChannelConsent<PushMessage, PushConsentRow> {
  return {
    columns: pushColumns,
    join: tokensJoin(platformOf[name]),
    addressOf: (row) => addressOf(name, row.push_tokens ?? []),
    trackingOf: () => ({ opens: false, clicks: false }),
    mayWait: () => false,
    check: (row, _content, required) => checkPushConsent(name, row, required),
  }
}

/** Returns the tokens to which a channel can send. Pure. */
export function usableTokens(name: PushName, tokens: readonly TokenOfDevice[]): readonly TokenOfDevice[] {
  return name === 'web_push' ? tokens.filter(({ token }) => readSubscription(token) !== undefined) : tokens
}

/** Returns the most recently used device and the service that reaches it, such as `d1@fcm.googleapis.com`. Pure. */
export function addressOf(name: PushName, tokens: readonly TokenOfDevice[]): string | null {
  const [newest] = usableTokens(name, tokens)
  if (newest === undefined) return null
  const subscription = name === 'web_push' ? readSubscription(newest.token) : undefined
  return `${newest.device_id}@${subscription ? serviceOf(subscription) : platformOf[name]}`
}

/** Returns the part of an address that stands for its service. A device id may have any character. */
export function serviceOfAddress(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** Returns why a person may not get a push now. Pure. */
export function checkPushConsent(
  name: PushName,
  { push_subscribe, push_subscribe_at, push_tokens, silent_tokens }: PushConsentRow,
  required: RequiredState,
): ConsentRefusal | undefined {
  const tokens = push_tokens ?? []
  if (usableTokens(name, tokens).length === 0) {
    const inputs = { push_tokens: tokens.length, notifications_disabled: silent_tokens }
    const isOff = silent_tokens > 0 ? ' with notifications turned on' : ''
    return { reason: 'no_address', rule: `a push needs the push token of ${deviceWords[name]}${isOff}`, inputs }
  }
  if (allowed[required].includes(push_subscribe)) return undefined
  const inputs = { push_subscribe, as_of: push_subscribe_at?.toISOString() ?? null }
  return { reason: 'unsubscribed', rule: `recipient_subscription_state is ${required}`, inputs }
}

const allowed: Readonly<Record<RequiredState, readonly SubscribeState[]>> = {
  opted_in: ['opted_in'],
  subscribed: ['opted_in', 'subscribed'],
  all: ['opted_in', 'subscribed', 'unsubscribed'],
}
