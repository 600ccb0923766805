/** The members of `messages` that are pushes which are delivered. */
export const pushNames = ['web_push', 'apple_push', 'android_push'] as const
export type PushName = (typeof pushNames)[number]

/** The platform of the apps whose push tokens a channel uses. */
export const platformOf = { web_push: 'web', apple_push: 'ios', android_push: 'android' } as const

/** A value of `extra`. Texts may have Liquid; objects and lists are passed on as JSON. */
export type Extra = Readonly<Record<string, unknown>>

/** A push, checked. Texts may have Liquid. Which members there are depends on the channel. */
export type PushMessage = {
  readonly alert: string
  readonly title?: string
  /** The address that a click opens. */
  readonly custom_uri?: string
  readonly extra?: Extra
  /** Seconds for which a service keeps a push for a device that it does not reach. */
  readonly time_to_live?: number
  readonly send_to_most_recent_device_only?: boolean
  readonly message_variation_id?: string
  // Browsers.
  readonly image_url?: string
  readonly large_image_url?: string
  readonly require_interaction?: boolean
  // Apple devices.
  readonly badge?: number
  readonly category?: string
  readonly collapse_id?: string
  readonly notification_group_thread_id?: string
  // Apple and Android devices.
  readonly sound?: string
  // Android devices.
  readonly collapse_key?: string
  readonly notification_channel_id?: string
  readonly android_priority?: 'normal' | 'high'
}

/** Bytes of an object of a request as JSON, as the interface measures it. */
export const applePushBytesMax = 1_912
export const androidPushBytesMax = 4_000
/** Plain bytes of what is encrypted for a browser: so many fit into one record of 4,096 with its header. */
export const webPayloadBytesMax = 3_993
/** Bytes of what Firebase Cloud Messaging passes on. */
export const fcmPayloadBytesMax = 4_096
/** Four weeks: services keep a push no longer. */
export const timeToLiveMax = 2_419_200
/** The most members of `extra`. */
export const extraMembersMax = 50
/** The most devices that get one push; the most recently used ones do. */
export const devicesMax = 20
