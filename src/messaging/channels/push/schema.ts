import Type from 'typebox'
import { extraMembersMax, timeToLiveMax } from './push-message.ts'

const common = {
  extra: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      maxProperties: extraMembersMax,
      description: 'Values for the page or the app. Its texts may contain Liquid.',
    }),
  ),
  custom_uri: Type.Optional(Type.String({ description: 'The address that a click opens.' })),
  image_url: Type.Optional(Type.String({ description: 'A picture beside the text.' })),
  time_to_live: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: timeToLiveMax,
      default: timeToLiveMax,
      description: 'Seconds for which the push service keeps it for a device that is away.',
    }),
  ),
  send_to_most_recent_device_only: Type.Optional(
    Type.Boolean({ default: false, description: 'Only the device that was used last gets it.' }),
  ),
  message_variation_id: Type.Optional(Type.String()),
}
const Title = Type.Optional(Type.String({ description: 'Absent: the text alone is shown.' }))
const Alert = Type.String({ description: 'The text.' })
const Sound = Type.Optional(Type.String({ description: 'The sound that the device plays.' }))
const exact = { additionalProperties: false }

/** The members that each push has, by channel. */
export const pushMembers = {
  web_push: {
    ...{ alert: Alert, title: Title, ...common },
    large_image_url: Type.Optional(Type.String({ description: 'A large picture below the text.' })),
    require_interaction: Type.Optional(Type.Boolean({ description: 'It is shown until the person closes it.' })),
  },
  apple_push: {
    ...{ alert: Alert, title: Title, ...common, sound: Sound },
    badge: Type.Optional(Type.Integer({ minimum: 0, description: 'The number on the icon of the app.' })),
    category: Type.Optional(Type.String()),
    collapse_id: Type.Optional(Type.String({ description: 'A later push with the same text replaces this one.' })),
    notification_group_thread_id: Type.Optional(Type.String({ description: 'Pushes with the same text are grouped.' })),
  },
  android_push: {
    ...{ alert: Alert, title: Title, ...common, sound: Sound },
    collapse_key: Type.Optional(Type.String({ description: 'A later push with the same text replaces this one.' })),
    notification_channel_id: Type.Optional(Type.String({ description: 'A notification channel of the app.' })),
    android_priority: Type.Optional(Type.Enum(['normal', 'high'])),
  },
}

const described = { ...exact, description: 'Texts may contain Liquid.' }

/** The members of `messages` of a request that are pushes. */
export const pushShapes = {
  web_push: Type.Optional(Type.Object(pushMembers.web_push, described)),
  apple_push: Type.Optional(
    Type.Object(
      {
        ...pushMembers.apple_push,
        alert: Type.Union([Alert, Type.Object({ title: Title, body: Alert }, exact)]),
      },
      described,
    ),
  ),
  android_push: Type.Optional(Type.Object(pushMembers.android_push, described)),
}
