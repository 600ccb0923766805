import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { notValid } from '../../people/values/refusals.ts'
import { broken, inspect, isObject } from '../../people/values/values.ts'
import { channelNames, findChannel } from '../channels/channels.ts'
import { androidPushBytesMax, applePushBytesMax } from '../channels/push/push-message.ts'
import {
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
 * Reads the members of `messages`, by channel. An empty object is nothing to send, except for a channel that is delivered, whose own errors
 * say more. Clients send empty pushes for the platforms that they do not mean. `notices` gets members that are no channel. Throws 400.
 */
export function readPayloads(given: unknown, notices: Notices): ReadonlyMap<string, Payload> {
  if (!isGiven(given)) throw invalid(messageErrors.noMessage)
  if (!isObject(given)) throw invalid(messagesNotObject)
  const payloads = new Map<string, Payload>()
  const delivered = channelNames()
  const known = [...delivered, ...channels.filter((name) => !delivered.includes(name))]
  for (const name of Object.keys(given)) {
    if (!known.includes(name) && isGiven(given[name])) notices.add(`messages.${name}`, unknownChannel)
  }
  for (const channel of known) {
    const payload = Object.hasOwn(given, channel) ? given[channel] : undefined
    if (!isGiven(payload)) continue
    if (!isObject(payload)) throw invalid(`messages.${channel} must be an object`)
    if (Object.keys(payload).length > 0 || (delivered.includes(channel) && !isPush(channel)))
      payloads.set(channel, payload)
  }
  if (payloads.size === 0) throw invalid(messageErrors.noMessage)
  return payloads
}

/** Checks a push, or a channel that is not delivered, by the rules of the interface. Throws 400. */
export function checkAsInterface(channel: string, payload: Payload): void {
  if (findChannel(channel) && !isPush(channel)) return
  if (inspect(payload, true) & broken) throw invalid(notValid(`messages.${channel}`))
  if (isPush(channel) && isGiven(payload.extra) && !isObject(payload.extra)) throw invalid(messageErrors.invalidExtra)
  if (channel === 'slideup' && charactersOf(payload.alert) > slideupCharactersMax)
    throw invalid(messageErrors.slideupTooLong)
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  if (channel === 'apple_push' && bytes > applePushBytesMax) throw invalid(messageErrors.applePushTooLong)
  if (channel === 'android_push' && bytes > androidPushBytesMax) throw invalid(messageErrors.androidPushTooLong)
}

function isPush(channel: string): boolean {
  return (pushChannels as readonly string[]).includes(channel)
}

function charactersOf(given: unknown): number {
  return typeof given === 'string' ? [...given].length : 0
}
