import Type, { type Static, type TSchema } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { flowKinds } from '../flows/flow.ts'
import { families } from '../ledger/families.ts'
import { reasons } from '../ledger/reasons.ts'
import { messageClasses } from '../messages/message.ts'
import { messageStates } from '../messages/states.ts'

/** Messages in a page of the list. */
export const messagesDefault = 50
export const messagesMax = 200
/** How many messages one request looks at. A page may then have fewer messages than its limit, and says until when it has looked. */
export const lookedAtMax = 20_000
/** Characters of a step or an address that is searched for. */
export const messageFilterCharactersMax = 1_000

/** `set_aside` is a reason, listed like a state. */
export const listedStates = [...messageStates, 'set_aside'] as const
export type ListedState = (typeof listedStates)[number]

const Time = Type.String({ format: 'date-time' })
const OrNull = <const S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const TimeOrNull = OrNull(Time)
const TextOrNull = OrNull(Type.String())
const reasonNames = Object.keys(reasons)

export const MessagesQuery = Type.Object({
  workspace,
  state: Type.Optional(
    Type.Enum([...listedStates], {
      description: 'With `uncertain` and `set_aside`: only messages about which nobody has decided yet.',
    }),
  ),
  reason: Type.Optional(Type.Enum(reasonNames)),
  family: Type.Optional(Type.Enum([...families])),
  dispatch: Type.Optional(Type.String({ description: 'Only messages of this order, and of entries that it made.' })),
  flow: Type.Optional(Type.String({ description: 'Only messages of this canvas or campaign.' })),
  step: Type.Optional(
    Type.String({ maxLength: messageFilterCharactersMax, description: 'Only messages of the step with this id.' }),
  ),
  person: Type.Optional(Type.String({ description: 'Only messages to the person with this id.' })),
  address: Type.Optional(
    Type.String({
      maxLength: messageFilterCharactersMax,
      description: 'Only messages that went to this address, in upper or lower case, of people who have it now.',
    }),
  ),
  from: Type.Optional(Type.String({ description: 'Only messages planned since this instant.' })),
  to: Type.Optional(Type.String({ description: 'Only messages planned before this instant.' })),
  ...paging(messagesDefault, messagesMax),
})

export const FoundPerson = Type.Object({
  id: Type.String({ description: 'Names the person in `/admin/people/{id}`.' }),
  external_id: TextOrNull,
  first_name: TextOrNull,
  last_name: TextOrNull,
  email: TextOrNull,
})

const FoundFlow = Type.Object({
  kind: Type.Enum([...flowKinds]),
  id: Type.String(),
  name: Type.String(),
  version: OrNull(Type.Integer()),
})

export const decisions = ['left', 'resent'] as const

export const FoundMessage = Type.Object({
  message_id: Type.String(),
  channel: Type.String(),
  class: Type.Enum([...messageClasses]),
  sentence: Type.String({ description: 'What became of the message, or what it waits for, and why.' }),
  family: Type.Enum([...families]),
  reason: OrNull(Type.Enum(reasonNames)),
  state: Type.Enum([...messageStates]),
  person: OrNull(FoundPerson),
  address: TextOrNull,
  subject: Type.Union([Type.String(), Type.Null()], { description: 'null for a message that was never made.' }),
  flow: OrNull(FoundFlow),
  step: OrNull(Type.Object({ id: Type.String(), name: TextOrNull })),
  visit: Type.Integer(),
  dispatch_id: Type.Union([Type.String(), Type.Null()], {
    description: 'The order of the message, or of its entry. null: the person entered after an event.',
  }),
  entry_id: TextOrNull,
  attempts: Type.Integer(),
  response: Type.Union([Type.String(), Type.Null()], { description: 'The last answer of the server of its channel.' }),
  planned_at: Time,
  due_at: Time,
  ended_at: TimeOrNull,
  bounced_at: TimeOrNull,
  complained_at: TimeOrNull,
  decided: Type.Union([Type.Enum([...decisions]), Type.Null()], {
    description: 'What an administrator decided about an uncertain message, or one that was set aside.',
  }),
  is_undecided: Type.Boolean({ description: 'Whether it can be sent again, or left as it is.' }),
})
export type FoundMessage = Static<typeof FoundMessage>

export const MessagesReply = Type.Object({
  messages: Type.Array(FoundMessage, { description: 'Newest first, by the time for which they were planned.' }),
  searched_until: Type.Union([Time, Type.Null()], {
    description: `Only messages planned after this time were looked at: one request looks at ${lookedAtMax} at most.`,
  }),
  cursor: Type.Optional(Type.String({ description: 'The cursor of the next page; absent on the last page.' })),
})
export type MessagesReply = Static<typeof MessagesReply>

export const MessageQuery = Type.Object({
  workspace,
  source: Type.Optional(Type.Enum(['true', 'false'], { description: 'true: also return the source of the mail.' })),
  render: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true: when the mail is not kept, make it anew from what is stored now. Nothing is sent, and no server is asked.',
    }),
  ),
})

const Decision = Type.Object({
  at: Time,
  reason: Type.Enum(reasonNames),
  family: Type.Enum([...families]),
  sentence: Type.String(),
  rule: TextOrNull,
  inputs: Type.Unknown({ description: 'What the rule read, and as of when.' }),
})

const Engagement = Type.Object({
  kind: Type.String({ description: 'opened, clicked, machine_opened, machine_clicked or unsubscribed.' }),
  sentence: Type.String(),
  url: TextOrNull,
  first_at: Time,
  last_at: Time,
  count: Type.Integer(),
})

const Mail = Type.Object({
  rendered_anew: Type.Boolean({
    description: 'true: the mail was not kept, and was made anew. Values may have changed since it was sent.',
  }),
  mail_id: Type.Union([Type.String(), Type.Null()], {
    description: 'Names the mail in `/admin/inbox/{id}`; null for a mail that was made anew.',
  }),
  from: TextOrNull,
  to: Type.String(),
  subject: Type.String(),
  at: Time,
  bytes: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'Values by name in lower case; several of one name are separated by line breaks.',
  }),
  text: TextOrNull,
  html_url: Type.Union([Type.String(), Type.Null()], {
    description:
      'Where a browser with a session shows the mail, without scripts and without anything from elsewhere. ' +
      'With `&pictures=true` its pictures are loaded. The path begins at the root of the service.',
  }),
  attachments: Type.Array(Type.Object({ filename: TextOrNull, content_type: Type.String(), bytes: Type.Integer() })),
  details: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'What only messages of this channel have.' }),
  ),
  source: Type.Optional(Type.String()),
})

export const MessageReply = Type.Object({
  message: Type.Interface([FoundMessage], {
    variant: TextOrNull,
    warnings: Type.Array(Type.String(), { description: 'What was wrong with the mail although it was sent.' }),
    decisions: Type.Array(Decision, { description: 'Newest first.' }),
    engagement: Type.Array(Engagement, { description: 'Opens and clicks.' }),
    mail: Type.Union([Mail, Type.Null()], {
      description:
        'The message as it was kept in the inbox, or as `render=true` has made it anew. ' +
        'null: it went to a server and was not kept, or was deleted.',
    }),
    mail_sentence: Type.String({ description: 'Where the mail is, how it was made, or why it cannot be made.' }),
    may_render: Type.Boolean({ description: 'Whether the mail is not kept, and `render=true` tries to make it anew.' }),
  }),
})
export type MessageReply = Static<typeof MessageReply>
