import { hasLiquid } from '../../mail/read-text.ts'
import {
  fcmPayloadBytesMax,
  type PushMessage,
  type PushName,
  timeToLiveMax,
  webPayloadBytesMax,
} from './push-message.ts'

/** What is sent to a browser. `tag` makes a repeated push replace the first one on the device. */
export type WebPayload = {
  readonly title: string
  readonly body?: string
  readonly url?: string
  readonly icon?: string
  readonly image?: string
  readonly require_interaction?: boolean
  readonly tag: string
  readonly extra?: Readonly<Record<string, unknown>>
}

/** A message of FCM without the token of the device. */
export type FcmMessage = {
  readonly notification: { readonly title?: string; readonly body: string; readonly image?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly android?: object
  readonly apns?: object
}

/** Characters of a tag, which stand in place of the real one when a push is measured before it is made. */
export const tagLength = 32

/** Returns what a service worker gets. A push without a title shows its alert as the title. Pure. */
export function webPayloadOf(push: PushMessage, tag: string): WebPayload {
  const { alert, title, custom_uri, image_url, large_image_url, require_interaction, extra } = push
  return {
    title: title ?? alert,
    ...(title !== undefined && { body: alert }),
    ...(custom_uri !== undefined && { url: custom_uri }),
    ...(image_url !== undefined && { icon: image_url }),
    ...(large_image_url !== undefined && { image: large_image_url }),
    ...(require_interaction && { require_interaction }),
    tag,
    ...(extra !== undefined && { extra }),
  }
}

/** Returns what FCM gets for an Apple or Android device. `expiresS` is in epoch seconds. Pure. */
export function fcmMessageOf(
  name: Exclude<PushName, 'web_push'>,
  push: PushMessage,
  tag: string,
  isUrgent: boolean,
  expiresS: number,
): FcmMessage {
  const { alert, title, image_url, custom_uri, extra = {}, time_to_live = timeToLiveMax } = push
  const data = asTexts({ ...extra, ...(custom_uri !== undefined && { custom_uri }) })
  return {
    notification: {
      ...(title !== undefined && { title }),
      body: alert,
      ...(image_url !== undefined && { image: image_url }),
    },
    ...(Object.keys(data).length > 0 && { data }),
    ...(name === 'android_push'
      ? { android: androidOf(push, tag, isUrgent, time_to_live) }
      : { apns: apnsOf(push, tag, isUrgent, expiresS) }),
  }
}

function androidOf(push: PushMessage, tag: string, isUrgent: boolean, time_to_live: number): object {
  const { sound, collapse_key, notification_channel_id, android_priority } = push
  return {
    // FCM keeps pushes with at most four different keys for a device that is away, so a push has none of its own.
    ...(collapse_key !== undefined && { collapse_key }),
    priority: android_priority ?? (isUrgent ? 'high' : 'normal'),
    ttl: `${time_to_live}s`,
    notification: {
      tag: collapse_key ?? tag,
      ...(sound !== undefined && { sound }),
      ...(notification_channel_id !== undefined && { channel_id: notification_channel_id }),
    },
  }
}

function apnsOf(push: PushMessage, tag: string, isUrgent: boolean, expiresS: number): object {
  const { badge, sound, category, collapse_id = tag, notification_group_thread_id: thread, image_url } = push
  const aps = {
    ...(badge !== undefined && { badge }),
    ...(sound !== undefined && { sound }),
    ...(category !== undefined && { category }),
    ...(thread !== undefined && { 'thread-id': thread }),
    ...(image_url !== undefined && { 'mutable-content': 1 }),
  }
  return {
    headers: {
      'apns-collapse-id': collapse_id,
      'apns-priority': isUrgent ? '10' : '5',
      'apns-expiration': String(expiresS),
    },
    payload: { aps },
    ...(image_url !== undefined && { fcm_options: { image: image_url } }),
  }
}

/** FCM passes on texts only. */
function asTexts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** Returns why a push is too long to be sent; undefined if it is not. One with Liquid is measured when it is rendered. Pure. */
export function payloadMistake(name: PushName, push: PushMessage, isRendered = false): string | undefined {
  const { alert, title, custom_uri, image_url, large_image_url } = push
  const texts = [alert, title, custom_uri, image_url, large_image_url, ...Object.values(push.extra ?? {})]
  if (!isRendered && texts.some((text) => typeof text === 'string' && hasLiquid(text))) return undefined
  const { bytes, bytesMax } = payloadSize(name, push)
  return bytes <= bytesMax ? undefined : `takes ${bytes} bytes, of at most ${bytesMax}`
}

/** Returns how many bytes a rendered push takes, and how many its push service takes at most. Pure. */
export function payloadSize(name: PushName, push: PushMessage): { readonly bytes: number; readonly bytesMax: number } {
  const tag = 't'.repeat(tagLength)
  const [json, bytesMax] =
    name === 'web_push'
      ? [JSON.stringify(webPayloadOf(push, tag)), webPayloadBytesMax]
      : [measuredOf(fcmMessageOf(name, push, tag, false, 0)), fcmPayloadBytesMax]
  return { bytes: Buffer.byteLength(json), bytesMax }
}

/** Returns the part of a message of FCM that its limit is about: what the device gets. */
export function measuredOf({ notification, data }: FcmMessage): string {
  return JSON.stringify({ notification, ...(data && { data }) })
}
