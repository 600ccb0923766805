import Type, { type Static, type TObject } from 'typebox'
import { wantedStates } from './sending.ts'

/** People that one request may name, external ids and aliases together. */
export const recipientsMax = 50
/** Characters of a `send_id`. */
export const sendIdCharactersMax = 255
/** Characters of the text of a `slideup`. */
export const slideupCharactersMax = 140
/** Bytes of a push as JSON. */
export const applePushBytesMax = 1_912
export const androidPushBytesMax = 4_000

/** Refusals of a request to send, verbatim from the interface (contract 4.11). */
export const texts = {
  noRecipients: 'No Recipients',
  invalidCampaign: 'Invalid Campaign ID',
  variantUnspecified: 'Message Variant Unspecified',
  invalidVariant: 'Invalid Message Variant',
  mismatchedType: 'Mismatched Message Type',
  invalidExtra: 'Invalid Extra Push Payload',
  tooManyRecipients: 'The max number of external_ids and aliases per request was exceeded',
  noMessage: 'No message to send',
  slideupTooLong: 'Slideup Message Length Exceeded',
  applePushTooLong: 'Apple Push Length Exceeded',
  androidPushTooLong: 'Android Push Length Exceeded',
  badRequest: 'Bad Request',
} as const

// What a `No Recipients` says besides.
export const nobodyNamed = "one of 'external_user_ids', 'user_aliases', 'segment_id' or 'audience' is required"
export const broadcastRequired =
  "'broadcast' must be true when neither 'external_user_ids' nor 'user_aliases' are given"

export const broadcastForbidden = "'broadcast' must be false when 'external_user_ids' or 'user_aliases' are given"
export const externalIdsNotList = "'external_user_ids' must be an array of strings"
export const aliasesNotList = "'user_aliases' must be an array of objects"
export const oneSegmentOnly = "'segment_ids' may name only one segment"
export const badWantedState = `'recipient_subscription_state' must be ${listed(wantedStates)}`
export const badSendId = `'send_id' must be text of 1 to ${sendIdCharactersMax} characters`
export const messagesNotObject = "'messages' must be an object"
export const sendOfAnother = "'send_id' is one of another campaign"
export const timeNotHere =
  "not accepted here, and nothing was sent: what has a time goes to '/messages/schedule/create'"
export const scheduleRequired = "'schedule' is required"
export const scheduleIdRequired = "'schedule_id' is required"
export const changeRequired = "'schedule' or 'messages' is required"

function listed(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** Members of `messages` that are pushes; what they hold besides is not looked at. */
export const pushChannels = [
  'android_push',
  'apple_push',
  'kindle_push',
  'web_push',
  'windows_push',
  'windows8_push',
  'windows_phone8_push',
  'windows_universal_push',
] as const

/** Every member of `messages` that the interface knows, older ones included. Only `email` is delivered. */
export const channels = ['email', ...pushChannels, 'content_card', 'slideup', 'sms', 'webhook', 'whats_app'] as const
export type Channel = (typeof channels)[number]

const Flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], { default: false, description }))

export const endTimeRequired = "'end_time' is required"
export const badEndTime = "'end_time' is not valid"

export const BroadcastsQuery = Type.Object({
  end_time: Type.String({ description: 'ISO 8601; its day is read as midnight in UTC' }),
})

const Broadcast = Type.Object({
  name: Type.String(),
  id: Type.String(),
  type: Type.Enum(['Canvas', 'Campaign']),
  tags: Type.Array(Type.String()),
  next_send_time: Type.String({ description: 'ISO 8601; without an offset where each person lives' }),
  schedule_type: Type.String({ description: '`local_time_zones`, or the time zone of the schedule' }),
})
export type Broadcast = Static<typeof Broadcast>

export const BroadcastsReply = Type.Object({ scheduled_broadcasts: Type.Array(Broadcast) })

const Alias = Type.Object({ alias_name: Type.String(), alias_label: Type.String() })

const Attachment = Type.Object({
  file_name: Type.String({ description: 'Without extension' }),
  url: Type.String({ format: 'uri', description: 'Its path ends in one of the accepted extensions' }),
  basic_auth_credential: Type.Optional(Type.String({ description: 'The name of a stored credential' })),
})

const Email = Type.Object(
  {
    app_id: Type.String(),
    from: Type.String({ description: 'Display Name <address>' }),
    subject: Type.Optional(Type.String()),
    reply_to: Type.Optional(
      Type.Union([Type.String(), Type.Null()], { description: '`NO_REPLY_TO`: none; absent: that of the workspace' }),
    ),
    bcc: Type.Optional(Type.String({ description: 'One of `settings.bcc`' })),
    body: Type.Optional(Type.String({ description: 'Required without `email_template_id`' })),
    plaintext_body: Type.Optional(Type.String()),
    preheader: Type.Optional(Type.String()),
    email_template_id: Type.Optional(Type.String()),
    message_variation_id: Type.Optional(Type.String()),
    extras: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    should_inline_css: Type.Optional(Type.Boolean()),
    attachments: Type.Optional(Type.Array(Attachment)),
  },
  { description: 'Texts may hold Liquid' },
)

const notDelivered = Type.Object({}, { description: 'Checked, and not delivered: `notice` says so' })

const Messages = Type.Object({
  email: Type.Optional(Email),
  ...(Object.fromEntries(channels.slice(1).map((name) => [name, Type.Optional(notDelivered)])) as object),
})

const recipients = {
  external_user_ids: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      maxItems: recipientsMax,
      description: `At most ${recipientsMax} together with \`user_aliases\``,
    }),
  ),
  user_aliases: Type.Optional(Type.Array(Alias, { maxItems: recipientsMax })),
  segment_id: Type.Optional(Type.String({ description: 'Only who is in the segment' })),
  audience: Type.Optional(Type.Object({}, { description: 'Only who is in the audience: a tree of conditions' })),
  broadcast: Flag('Everybody in the segment and the audience: must be true when nobody is named, and false otherwise'),
  recipient_subscription_state: Type.Optional(
    Type.Enum([...wantedStates], { default: 'subscribed', description: '`all` makes the message transactional' }),
  ),
  override_frequency_capping: Flag('Sent although the person had enough messages'),
  campaign_id: Type.Optional(Type.String()),
  send_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: sendIdCharactersMax, description: 'Kept and answered' }),
  ),
}

const Schedule = Type.Object({
  time: Type.String({ description: 'ISO 8601; UTC without an offset' }),
  in_local_time: Flag('When the clock of each person shows that time'),
  at_optimal_time: Flag('At the best hour of each person on that date'),
})

export const SendBody: TObject = Type.Object({ ...recipients, messages: Messages })
export const ScheduleBody: TObject = Type.Object({ ...recipients, schedule: Schedule, messages: Messages })

const ScheduleId = Type.String({ format: 'uuid', description: 'As `/messages/schedule/create` answered it' })

export const UpdateBody: TObject = Type.Object({
  schedule_id: ScheduleId,
  schedule: Type.Optional(Schedule),
  messages: Type.Optional(Messages),
})
export const DeleteBody: TObject = Type.Object({ schedule_id: ScheduleId })

const dispatchId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Names this order to send' })
const sendId = Type.Optional(Type.String({ description: 'As it was sent' }))
const notice = Type.Optional(Type.String({ description: 'What was accepted and has no effect' }))

export const SendReply = Type.Object({ dispatch_id: dispatchId, send_id: sendId, notice })
export type SendReply = Static<typeof SendReply>

export const ScheduleReply = Type.Object({
  dispatch_id: dispatchId,
  schedule_id: Type.String({ format: 'uuid' }),
  send_id: sendId,
  notice,
})
export type ScheduleReply = Static<typeof ScheduleReply>

export const ChangeReply = Type.Object({ notice })
export type ChangeReply = Static<typeof ChangeReply>

export const DeleteReply = Type.Object({})
