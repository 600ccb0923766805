import Type, { type TSchema } from 'typebox'
import { depthMax } from '../../people/values/values.ts'

/** Recipients that one order may name. */
export const recipientsMax = 50
/** Bytes of the properties of an order, and of those of a recipient, as JSON. */
export const propertiesBytesMax = 50 * 1024

export const recipientsNotList = "'recipients' must be an array of objects"
export const broadcastRequired = "'broadcast' must be true when 'recipients' are not given"
export const broadcastForbidden = "'broadcast' must be false when 'recipients' are given"
export const attachmentsNotSent = "'attachments' are not sent with a campaign: its e-mail says what goes with it"
export const groupsNotSet = "'subscription_groups' of a recipient are not set by a canvas"
export const scheduleRequired = "'schedule' is required"

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

export function scheduleNotHere(name: string, path: string): string {
  return `'${name}' is not accepted here, and nothing was sent: what has a time goes to '${path}/schedule/create'`
}

const Flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], { default: false, description }))

const properties = (description: string) =>
  Type.Optional(
    Type.Object({}, { description: `${description}; at most ${propertiesBytesMax} bytes and ${depthMax} levels` }),
  )

const Recipient = Type.Object(
  {
    external_user_id: Type.Optional(Type.Union([Type.String(), Type.Integer()])),
    user_alias: Type.Optional(Type.Object({ alias_name: Type.String(), alias_label: Type.String() })),
    service_id: Type.Optional(Type.String({ description: 'In the word of the installation' })),
    email: Type.Optional(Type.String()),
    prioritization: Type.Optional(Type.Array(Type.String(), { description: 'Who of several with the address' })),
    trigger_properties: properties('Properties of this person'),
    canvas_entry_properties: properties('The same'),
    context: properties('The same'),
    send_to_existing_only: Type.Optional(
      Type.Boolean({ default: true, description: '`false`: whoever is not there is made, of `attributes`' }),
    ),
    attributes: Type.Optional(Type.Object({}, { description: 'Written before anything is sent' })),
  },
  { description: 'The first of `external_user_id`, `user_alias`, `service_id` and `email` counts' },
)

const triggered = {
  recipients: Type.Optional(Type.Array(Recipient, { maxItems: recipientsMax })),
  audience: Type.Optional(Type.Object({}, { description: 'Only who is in the audience: a tree of conditions' })),
  broadcast: Flag('Everybody in the segment and the audience: must be true when nobody is named, and false otherwise'),
  trigger_properties: properties('Properties of everybody; those of a recipient win'),
  canvas_entry_properties: properties('The same'),
  context: properties('The same'),
}

const Schedule = Type.Object({
  time: Type.String({ description: 'ISO 8601; UTC without an offset' }),
  in_local_time: Flag('When the clock of each person shows that time'),
  at_optimal_time: Flag('On that day at the hour that suits each person'),
})

const canvas_id = Type.String({ description: 'The id of a canvas' })
const campaign_id = Type.String({ description: 'The id of a campaign' })
const schedule_id = Type.String({ format: 'uuid', description: 'As `schedule/create` answered it' })
const send_id = Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Kept and answered' }))

/** Bodies of the calls that trigger flows of one kind, from the members that name one. */
function bodiesOf(id: Record<string, TSchema>, more: Record<string, TSchema> = {}) {
  return {
    send: Type.Object({ ...id, ...triggered, ...more }),
    create: Type.Object({ ...id, ...triggered, ...more, schedule: Schedule }),
    update: Type.Object({ ...id, schedule_id, schedule: Schedule }),
    remove: Type.Object({ ...id, schedule_id }),
  }
}

export const canvasBodies = bodiesOf({ canvas_id })
export const campaignBodies = bodiesOf({ campaign_id }, { send_id })

const dispatchId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Names this order to send' })
const notice = Type.Optional(Type.String({ description: 'What was accepted and has no effect' }))
const sendId = Type.Optional(Type.String({ description: 'As it was sent' }))

/** Answers to orders of one kind, with the members that only it has. */
function repliesOf(more: Record<string, TSchema> = {}) {
  const scheduled = { dispatch_id: dispatchId, schedule_id: Type.String({ format: 'uuid' }) }
  return {
    send: Type.Object({ dispatch_id: dispatchId, ...more, notice }),
    create: Type.Object({ ...scheduled, ...more, notice }),
  }
}

export const canvasReplies = repliesOf()
export const campaignReplies = repliesOf({ send_id: sendId })

export const DoneReply = Type.Object({})
