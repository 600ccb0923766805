import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { notValid } from '../../people/values/refusals.ts'
import { broken, inspect, isObject } from '../../people/values/values.ts'
import {
  androidPushBytesMax,
  applePushBytesMax,
  type Channel,
  channels,
  messagesNotObject,
  pushChannels,
  slideupCharactersMax,
  texts,
} from './message-schema.ts'

/** What one channel gets, as it was sent. */
export type Payload = Readonly<Record<string, unknown>>

/**
 * The members of `messages` that hold something, by channel. An empty object is nothing to send, but for `email`, whose own rules say
 * more. Unknown members are ignored. Throws 400.
 */
export function readPayloads(given: unknown): ReadonlyMap<Channel, Payload> {
  if (!isGiven(given)) throw invalid(texts.noMessage)
  if (!isObject(given)) throw invalid(messagesNotObject)
  const payloads = new Map<Channel, Payload>()
  for (const channel of channels) {
    const payload = Object.hasOwn(given, channel) ? given[channel] : undefined
    if (!isGiven(payload)) continue
    if (!isObject(payload)) throw invalid(`messages.${channel} must be an object`)
    if (channel === 'email' || Object.keys(payload).length > 0) payloads.set(channel, payload)
  }
  if (payloads.size === 0) throw invalid(texts.noMessage)
  return payloads
}

/** Checks what a channel gets that is not delivered here, as the interface would. Throws 400. */
export function checkUndelivered(channel: Channel, payload: Payload): void {
  if (inspect(payload, true) & broken) throw invalid(notValid(`messages.${channel}`))
  if (isPush(channel) && isGiven(payload.extra) && !isObject(payload.extra)) throw invalid(texts.invalidExtra)
  if (channel === 'slideup' && textLength(payload.alert) > slideupCharactersMax) throw invalid(texts.slideupTooLong)
  if (channel === 'apple_push' && bytesOf(payload) > applePushBytesMax) throw invalid(texts.applePushTooLong)
  if (channel === 'android_push' && bytesOf(payload) > androidPushBytesMax) throw invalid(texts.androidPushTooLong)
}

function isPush(channel: Channel): boolean {
  return (pushChannels as readonly Channel[]).includes(channel)
}

function textLength(given: unknown): number {
  return typeof given === 'string' ? [...given].length : 0
}

function bytesOf(payload: Payload): number {
  return Buffer.byteLength(JSON.stringify(payload))
}
