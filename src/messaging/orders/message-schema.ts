import Type, { type Static, type TObject } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { channelNames } from '../channels/channels.ts'
import { pushNames } from '../channels/push/push-message.ts'
import { pushShapes } from '../channels/push/schema.ts'
import {
  headerCharactersMax,
  headerSchemes,
  headersMax,
  urlCharactersMax,
  webhookMethods,
} from '../channels/webhook/content.ts'
import {
  AnsweredSendId,
  Attachment,
  AudienceTree,
  Broadcast,
  DispatchId,
  Flag,
  Notice,
  noRecipients,
  recipientsMax,
  SendIdMember,
  tooManyRecipients,
} from './order-schema.ts'
import { NewScheduleId, ScheduleId, ScheduleShape } from './schedule-schema.ts'
import { wantedStates } from './sending.ts'

/** Characters of the text of a `slideup`. */
export const slideupCharactersMax = 140

/** Refusals of a request to send messages, verbatim from the interface (contract 4.11). */
export const messageErrors = {
  noRecipients,
  invalidCampaign: 'Invalid Campaign ID',
  variantUnspecified: 'Message Variant Unspecified',
  invalidVariant: 'Invalid Message Variant',
  mismatchedType: 'Mismatched Message Type',
  invalidExtra: 'Invalid Extra Push Payload',
  tooManyRecipients,
  noMessage: 'No message to send',
  slideupTooLong: 'Slideup Message Length Exceeded',
  applePushTooLong: 'Apple Push Length Exceeded',
  androidPushTooLong: 'Android Push Length Exceeded',
} as const

// The second text of a `No Recipients`.
export const recipientsRequired = "one of 'external_user_ids', 'user_aliases', 'segment_id' or 'audience' is required"
export const broadcastRequired =
  "'broadcast' must be true when neither 'external_user_ids' nor 'user_aliases' are given"

export const broadcastForbidden = "'broadcast' must be false when 'external_user_ids' or 'user_aliases' are given"
export const externalIdsNotList = "'external_user_ids' must be an array of strings"
export const aliasesNotList = "'user_aliases' must be an array of objects"
export const oneSegmentOnly = "'segment_ids' may name only one segment"
export const badWantedState = `'recipient_subscription_state' must be ${joinWords(wantedStates)}`
export const messagesNotObject = "'messages' must be an object"
export const changeRequired = "'schedule' or 'messages' is required"

function joinWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** Members of `messages` that are pushes. */
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

/** Every member of `messages` that the interface knows. */
export const channels = ['email', ...pushChannels, 'content_card', 'slideup', 'sms', 'webhook', 'whats_app'] as const
const otherChannels = channels.filter((name) => !['email', 'sms', ...pushNames, 'webhook'].includes(name))

/** Says why channels without a delivered one beside them are refused, or accepted without effect. */
export function nothingSent(undelivered: readonly string[]): string {
  const delivered = channelNames()
  const verb = delivered.length === 1 ? 'is' : 'are'
  return `Nothing is sent: only ${delivered.join(', ')} ${verb} delivered here, not ${undelivered.join(', ')}`
}
// Reasons of notices about a channel.
export const notDelivered = 'is not delivered here'
export const unknownChannel = 'is not a known channel'

const Alias = Type.Object({ alias_name: Type.String(), alias_label: Type.String() })

const Email = Type.Object(
  {
    app_id: Type.String(),
    from: Type.String({
      description: 'Display Name <address>; or an address, where `settings.from_name` has the name.',
    }),
    subject: Type.Optional(Type.String()),
    reply_to: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: '`NO_REPLY_TO`: none. Absent: the address of the workspace.',
      }),
    ),
    bcc: Type.Optional(Type.String({ description: 'One of `settings.bcc`.' })),
    body: Type.Optional(Type.String({ description: 'Required without `email_template_id`.' })),
    plaintext_body: Type.Optional(Type.String()),
    preheader: Type.Optional(Type.String()),
    email_template_id: Type.Optional(Type.String()),
    message_variation_id: Type.Optional(Type.String()),
    extras: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    should_inline_css: Type.Optional(Type.Boolean()),
    attachments: Type.Optional(Type.Array(Attachment)),
  },
  { description: 'Texts may contain Liquid.' },
)

const TextMessage = Type.Object(
  {
    body: Type.String({ description: 'May contain Liquid.' }),
    subscription_group_id: Type.String({
      description: 'A group for text messages. Only people who are subscribed to it get the text.',
    }),
    from: Type.Optional(
      Type.String({
        description:
          'A phone number, a short code, a name of at most 11 characters, or the id of a messaging service. ' +
          'Absent: the sender of the group or the workspace (`settings.sms`).',
      }),
    ),
    app_id: Type.Optional(Type.String()),
    message_variation_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const Header = Type.Union([
  Type.String({ maxLength: headerCharactersMax }),
  Type.Object(
    {
      credential: Type.String({ description: 'The name of a credential for the origin of the URL.' }),
      scheme: Type.Optional(
        Type.Enum([...headerSchemes], { description: 'Absent: `basic` for `Authorization`, else `plain`.' }),
      ),
    },
    { additionalProperties: false },
  ),
])

const Webhook = Type.Object(
  {
    url: Type.String({ maxLength: urlCharactersMax, description: 'Of http or https. May contain Liquid.' }),
    method: Type.Optional(Type.Enum([...webhookMethods], { default: 'POST' })),
    headers: Type.Optional(
      Type.Record(Type.String(), Header, {
        maxProperties: headersMax,
        description: 'Texts may contain Liquid. A text that looks like a secret is refused: name a credential instead.',
      }),
    ),
    body: Type.Optional(
      Type.Unknown({ description: 'A text, or JSON whose texts are rendered one by one. May contain Liquid.' }),
    ),
    message_variation_id: Type.Optional(Type.String()),
  },
  { additionalProperties: false, description: 'A request to another server for each person.' },
)

const undelivered = Type.Object(
  {},
  {
    description: 'Is checked but not delivered: `notices` names it. A request without a delivered channel is refused.',
  },
)

const Messages = Type.Object({
  email: Type.Optional(Email),
  ...(Object.fromEntries(otherChannels.map((name) => [name, Type.Optional(undelivered)])) as object),
  sms: Type.Optional(TextMessage),
  ...pushShapes,
  webhook: Type.Optional(Webhook),
})

const recipients = {
  external_user_ids: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Integer()]), {
      maxItems: recipientsMax,
      description: `At most ${recipientsMax} together with \`user_aliases\`.`,
    }),
  ),
  user_aliases: Type.Optional(Type.Array(Alias, { maxItems: recipientsMax })),
  segment_id: Type.Optional(Type.String({ description: 'The order is only for people in this segment.' })),
  audience: AudienceTree,
  broadcast: Broadcast,
  recipient_subscription_state: Type.Optional(
    Type.Enum([...wantedStates], { default: 'subscribed', description: '`all` makes the message transactional.' }),
  ),
  override_frequency_capping: Flag('The message is sent although the person has reached the frequency cap.'),
  campaign_id: Type.Optional(Type.String()),
  send_id: SendIdMember,
}

export const SendBody: TObject = Type.Object({ ...recipients, messages: Messages })
export const ScheduleBody: TObject = Type.Object({ ...recipients, schedule: ScheduleShape, messages: Messages })
export const UpdateBody: TObject = Type.Object({
  schedule_id: ScheduleId,
  schedule: Type.Optional(ScheduleShape),
  messages: Type.Optional(Messages),
})
export const DeleteBody: TObject = Type.Object({ schedule_id: ScheduleId })

export const SendReply = Type.Object({
  dispatch_id: DispatchId,
  send_id: AnsweredSendId,
  notice: Notice,
  ...noticeMembers,
})
export const ScheduleReply = Type.Object({
  dispatch_id: DispatchId,
  schedule_id: NewScheduleId,
  send_id: AnsweredSendId,
  notice: Notice,
  ...noticeMembers,
})
export const UpdateReply = Type.Object({ notice: Notice, ...noticeMembers })
export type UpdateReply = Static<typeof UpdateReply>
export const DeleteReply = Type.Object({})
