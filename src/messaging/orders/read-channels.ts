import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { notValid } from '../../people/values/refusals.ts'
import { broken, inspect, isObject } from '../../people/values/values.ts'
import {
  androidPushBytesMax,
  applePushBytesMax,
  type Channel,
  channels,
  messageErrors,
  messagesNotObject,
  pushChannels,
  slideupCharactersMax,
  unknownChannel,
} from './message-schema.ts'

/** What the request has for one channel. */
export type Payload = Readonly<Record<string, unknown>>

/**
 * Reads the members of `messages`, by channel. An empty object is nothing to send, except for `email`, whose own errors say more. `notices`
 * gets members that are no channel. Throws 400.
 */
export function readPayloads(given: unknown, notices: Notices): ReadonlyMap<Channel, Payload> {
  if (!isGiven(given)) throw invalid(messageErrors.noMessage)
  if (!isObject(given)) throw invalid(messagesNotObject)
  const payloads = new Map<Channel, Payload>()
  for (const name of Object.keys(given)) {
    const isKnown = (channels as readonly string[]).includes(name)
    if (!isKnown && isGiven(given[name])) notices.add(`messages.${name}`, unknownChannel)
  }
  for (const channel of channels) {
    const payload = Object.hasOwn(given, channel) ? given[channel] : undefined
    if (!isGiven(payload)) continue
    if (!isObject(payload)) throw invalid(`messages.${channel} must be an object`)
    if (channel === 'email' || Object.keys(payload).length > 0) payloads.set(channel, payload)
  }
  if (payloads.size === 0) throw invalid(messageErrors.noMessage)
  return payloads
}

/** Checks a channel that is not delivered by the rules of the interface. Throws 400. */
export function checkUndelivered(channel: Channel, payload: Payload): void {
  if (inspect(payload, true) & broken) throw invalid(notValid(`messages.${channel}`))
  if (isPush(channel) && isGiven(payload.extra) && !isObject(payload.extra)) throw invalid(messageErrors.invalidExtra)
  if (channel === 'slideup' && charactersOf(payload.alert) > slideupCharactersMax)
    throw invalid(messageErrors.slideupTooLong)
  if (channel === 'apple_push' && jsonBytes(payload) > applePushBytesMax) throw invalid(messageErrors.applePushTooLong)
  if (channel === 'android_push' && jsonBytes(payload) > androidPushBytesMax)
    throw invalid(messageErrors.androidPushTooLong)
}

function isPush(channel: Channel): boolean {
  return (pushChannels as readonly Channel[]).includes(channel)
}

function charactersOf(given: unknown): number {
  return typeof given === 'string' ? [...given].length : 0
}

function jsonBytes(payload: Payload): number {
  return Buffer.byteLength(JSON.stringify(payload))
}
