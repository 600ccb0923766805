import Type, { type TSchema } from 'typebox'
import { noticeMembers } from '../../base/http/notices.ts'
import { depthMax } from '../../people/values/values.ts'
import {
  AnsweredSendId,
  Attachment,
  AudienceTree,
  Broadcast,
  DispatchId,
  Notice,
  recipientsMax,
  SendIdMember,
} from './order-schema.ts'
import { NewScheduleId, ScheduleId, ScheduleShape } from './schedule-schema.ts'

/** Bytes of the properties of an order, and of those of a recipient, as JSON. */
export const propertiesBytesMax = 50 * 1024

export const recipientsNotList = "'recipients' must be an array of objects"
export const recipientNotOne = "'recipient' must be an object, or an array of one object"
export const broadcastRequired = "'broadcast' must be true when 'recipients' are not given"
export const broadcastForbidden = "'broadcast' must be false when 'recipients' are given"
export const attachmentsNotSent = "'attachments' are not sent by a canvas: each of its e-mails says what goes with it"
export const attachmentsOfBroadcast = "'attachments' are sent only to 'recipients', not with a broadcast"
export const groupsNotSet = "'subscription_groups' of a recipient are not set by a canvas"
// Reasons of notices.
export const ofNobody = 'are not stored: this recipient does not exist'
export const notSetByCanvas = 'are not set by a canvas'
export const sendIdNotStored = 'is not stored by a canvas'

export function ignoredBeside(name: string): string {
  return `is ignored beside ${name}`
}

export function recipientNotObject(path: string): string {
  return `'${path}' must be an object`
}

export function recipientRequired(path: string, serviceIdKey: string): string {
  return `'${path}' must have one of 'external_user_id', 'user_alias', '${serviceIdKey}' or 'email'`
}

export function attributesNotObject(path: string): string {
  return `'${path}.attributes' must be an object`
}

export function attributesRequired(path: string): string {
  return `'${path}.attributes' is required when 'send_to_existing_only' is false`
}

export function cannotCreate(path: string): string {
  return `'${path}.send_to_existing_only' may be false only with 'external_user_id' or 'email'`
}

export function propertiesNotObject(path: string): string {
  return `'${path}' must be an object`
}

export function propertiesTooLong(path: string): string {
  return `'${path}' must be at most ${propertiesBytesMax} bytes`
}

export const properties = (description: string) =>
  Type.Optional(
    Type.Object({}, { description: `${description} At most ${propertiesBytesMax} bytes and ${depthMax} levels.` }),
  )

export const Recipient = Type.Object(
  {
    external_user_id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    user_alias: Type.Optional(Type.Object({ alias_name: Type.String(), alias_label: Type.String() })),
    service_id: Type.Optional(Type.String({ description: 'The member is named after the service.' })),
    email: Type.Optional(Type.String()),
    prioritization: Type.Optional(
      Type.Array(Type.String(), { description: 'Chooses among several people with the address.' }),
    ),
    trigger_properties: properties('Properties of this person.'),
    canvas_entry_properties: properties('The same.'),
    context: properties('The same.'),
    send_to_existing_only: Type.Optional(
      Type.Boolean({ default: true, description: '`false`: an unknown person is created with `attributes`.' }),
    ),
    attributes: Type.Optional(Type.Object({}, { description: 'Are written before anything is sent.' })),
  },
  { description: 'The first of `external_user_id`, `user_alias`, `service_id` and `email` counts.' },
)

const order = {
  recipients: Type.Optional(Type.Array(Recipient, { maxItems: recipientsMax })),
  audience: AudienceTree,
  broadcast: Broadcast,
  trigger_properties: properties('Properties of everybody. Those of a recipient go before them.'),
  canvas_entry_properties: properties('The same.'),
  context: properties('The same.'),
}

/** The bodies of the calls that trigger flows of one kind. `id`: the member that names the flow. */
function bodiesOf(id: Record<string, TSchema>, more: Record<string, TSchema> = {}) {
  return {
    send: Type.Object({ ...id, ...order, ...more }),
    create: Type.Object({ ...id, ...order, ...more, schedule: ScheduleShape }),
    update: Type.Object({ ...id, schedule_id: ScheduleId, schedule: ScheduleShape }),
    remove: Type.Object({ ...id, schedule_id: ScheduleId }),
  }
}

export const canvasBodies = bodiesOf({ canvas_id: Type.String({ description: 'The id of a canvas.' }) })
export const campaignBodies = bodiesOf(
  { campaign_id: Type.String({ description: 'The id of a campaign.' }) },
  {
    send_id: SendIdMember,
    attachments: Type.Optional(
      Type.Array(Attachment, { description: 'Files for the mails of this order, beside those of the campaign.' }),
    ),
  },
)

/** The answers of the calls that trigger flows of one kind. */
function repliesOf(more: Record<string, TSchema> = {}) {
  return {
    send: Type.Object({ dispatch_id: DispatchId, ...more, notice: Notice, ...noticeMembers }),
    create: Type.Object({
      dispatch_id: DispatchId,
      schedule_id: NewScheduleId,
      ...more,
      notice: Notice,
      ...noticeMembers,
    }),
  }
}

export const canvasReplies = repliesOf()
export const campaignReplies = repliesOf({ send_id: AnsweredSendId })

export const UpdateReply = Type.Object(noticeMembers)
/** The answer of a deletion of a schedule. */
export const DoneReply = Type.Object({})
