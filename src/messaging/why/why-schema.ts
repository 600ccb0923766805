import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { families } from '../ledger/families.ts'
import { reasons } from '../ledger/reasons.ts'
import { WhyEntry, WhyFlow, WhyNever, WhyReceived } from './flow-explanation-schema.ts'

/** The most decisions of one page. */
export const whyPageMax = 200
export const whyPageDefault = 50
/** The most open messages, and the most open slots, in one answer. */
export const openMax = 200
/** The most people with one address in one answer. */
export const sharersMax = 50

export const whoOrDispatch = 'A person or a dispatch_id must be given'
/** Why an answer has no decisions. */
export const nothing = {
  no_such_user: 'Nobody has this identifier, and nothing was recorded about it.',
  unknown_order: 'There is no such order, or it was deleted because of its age.',
  not_recipient:
    'Nothing was decided about this person: the order was for the people who were in its segment or audience when it was due.',
  no_messages: 'Nothing was decided about this person yet.',
  no_flow: 'Nothing was decided about this person and this canvas or campaign.',
  no_people: 'Nothing was decided about this order yet.',
} as const

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const ObjectOrNull = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

export const WhyQuery = Type.Object(
  {
    workspace,
    external_id: Type.Optional(Type.String()),
    user_alias: Type.Optional(Type.String({ description: '`label:name`' })),
    alias_name: Type.Optional(Type.String({ description: 'With `alias_label`.' })),
    alias_label: Type.Optional(Type.String({ description: 'With `alias_name`.' })),
    email: Type.Optional(Type.String({ description: 'The answer is about all people who have the address.' })),
    service_id: Type.Optional(Type.String({ description: 'The member is named after the service.' })),
    person: Type.Optional(Type.String({ description: 'The id of a person, as in `/admin/people/{id}`.' })),
    dispatch_id: Type.Optional(Type.String({ description: 'Alone, or with one person.' })),
    canvas_id: Type.Optional(Type.String({ description: 'With one person: the entries of this canvas.' })),
    campaign_id: Type.Optional(Type.String({ description: 'The same for a campaign.' })),
    ...paging(whyPageDefault, whyPageMax),
  },
  { description: 'At most one person, an order, or both.' },
)

const WhyDispatch = Type.Object({
  dispatch_id: Type.String(),
  schedule_id: TextOrNull,
  send_id: TextOrNull,
  class: Type.String(),
  state: Type.String({ description: 'active, paused or cancelled.' }),
  asked_at: Time,
  schedule: ObjectOrNull,
  segment_id: TextOrNull,
  audience: Type.Unknown(),
  broadcast: Type.Boolean(),
  recipient_subscription_state: TextOrNull,
})
export type WhyDispatch = Static<typeof WhyDispatch>

const WhyMessage = Type.Object({
  message_id: Type.String(),
  state: Type.String(),
  address: TextOrNull,
  subject: TextOrNull,
  response: TextOrNull,
  warnings: Type.Array(Type.String()),
  attempts: Type.Integer(),
  planned_at: Time,
  ended_at: TimeOrNull,
  bounced_at: TimeOrNull,
  complained_at: TimeOrNull,
  engagement: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'opened, clicked, machine_opened, machine_clicked or unsubscribed.' }),
      url: TextOrNull,
      first_at: Time,
      last_at: Time,
      count: Type.Integer(),
    }),
  ),
})
export type WhyMessage = Static<typeof WhyMessage>

const Id = Type.Union([Type.String(), Type.Null()], {
  description: 'The `service_id` of the person. null: nobody had the identifier.',
})

const WhyFlowPosition = Type.Object({
  ...{ kind: Type.String(), id: Type.String(), name: Type.String() },
  step: Type.Union([Type.String(), Type.Null()]),
  visit: Type.Integer(),
  entry_id: Type.Union([Type.String(), Type.Null()], { description: 'null: the person has not entered.' }),
})
export type WhyFlowPosition = Static<typeof WhyFlowPosition>

const WhyDecision = Type.Object({
  at: Time,
  person: Id,
  channel: Type.Union([Type.String(), Type.Null()], {
    description: 'null: the decision is about an entry, not about a message.',
  }),
  reason: Type.Enum(Object.keys(reasons)),
  family: Type.Enum([...families], {
    description: 'The kind of the reason. `held`: a rule or the person did not allow it.',
  }),
  because: Type.String({ description: 'The reason, as the rest of a sentence.' }),
  sentence: Type.String({ description: 'What was decided, and why.' }),
  rule: TextOrNull,
  inputs: Type.Unknown({ description: 'What the rule read, and as of when.' }),
  asked: ObjectOrNull,
  dispatch: Type.Union([WhyDispatch, Type.Null()], {
    description: 'The order of the message or the entry. null: the person entered after an event.',
  }),
  flow: Type.Union([WhyFlowPosition, Type.Null()], {
    description: 'The canvas or campaign, and the step in it.',
  }),
  message: Type.Union([WhyMessage, Type.Null()]),
})
export type WhyDecision = Static<typeof WhyDecision>

const WhyOpen = Type.Object({
  person: Id,
  channel: TextOrNull,
  sentence: Type.String(),
  waits_for: Type.String(),
  until: TimeOrNull,
  dispatch: Type.Union([WhyDispatch, Type.Null()]),
  flow: Type.Union([WhyFlowPosition, Type.Null()]),
  message: Type.Union([WhyMessage, Type.Null()], { description: 'null while the recipients are not looked up yet.' }),
})
export type WhyOpen = Static<typeof WhyOpen>

const WhyConfirmation = Type.Object({
  person: Type.String(),
  subscription_group_id: Type.String(),
  group: Type.String({ description: 'The name of the group.' }),
  state: Type.Enum(['pending', 'expired']),
  sentence: Type.String(),
  dispatch_id: Type.String({ description: 'Of the last mail or text.' }),
  expires_at: Time,
})
export type WhyConfirmation = Static<typeof WhyConfirmation>

export const WhyReply = Type.Object({
  people: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The people in the answer.',
  }),
  confirmations: Type.Optional(
    Type.Array(WhyConfirmation, {
      description:
        'What the people were asked to confirm, and have not confirmed yet or too late. On the first page only.',
    }),
  ),
  reason: Type.Optional(Type.Enum(['no_such_user'])),
  because: Type.Optional(Type.String({ description: 'Why there are no decisions.' })),
  sentence: Type.String({ description: 'The answer in one or two sentences.' }),
  canvas: Type.Optional(WhyFlow),
  campaign: Type.Optional(WhyFlow),
  entries: Type.Optional(
    Type.Array(WhyEntry, { description: 'Entries of the canvas or campaign, newest first. On the first page only.' }),
  ),
  received: Type.Optional(Type.Array(WhyReceived, { description: 'What people who have entered received.' })),
  never_entered: Type.Optional(Type.Array(WhyNever, { description: 'Why the others have not entered.' })),
  open: Type.Array(WhyOpen, { description: 'What has not ended yet. On the first page only.' }),
  decisions: Type.Array(WhyDecision, { description: 'Newest first.' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page. Absent on the last one.' })),
})
export type WhyReply = Static<typeof WhyReply>
