import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { reasons } from '../ledger/reasons.ts'
import { WhyEntry, WhyFlow, WhyNever, WhyReceived } from './entered-schema.ts'

/** Decisions on a page. */
export const whyPageMax = 200
export const whyPageDefault = 50
/** Messages, and orders to send, that are still open: so many are shown. */
export const openMax = 200
/** People of one address who are asked about. */
export const sharersMax = 50

export const whoOrDispatch = 'A person or a dispatch_id must be given'
/** Of an answer without decisions. */
export const nothing = {
  no_such_user: 'Nobody has this identifier, and nothing was recorded of it.',
  unknown_dispatch: 'There is no such dispatch, or it was so long ago that it is forgotten.',
  not_meant:
    'Nothing was decided about this person: the dispatch was for the people who were in its segment or audience when it was due.',
  no_messages: 'Nothing was decided about this person yet.',
  no_flow: 'Nothing was decided about this person and this canvas or campaign.',
  no_people: 'Nothing was decided in this dispatch yet.',
} as const

const Moment = Type.String({ format: 'date-time' })
const MaybeMoment = Type.Union([Moment, Type.Null()])
const Text = Type.Union([Type.String(), Type.Null()])
const Anything = Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()])

export const WhyQuery = Type.Object(
  {
    workspace,
    external_id: Type.Optional(Type.String()),
    user_alias: Type.Optional(Type.String({ description: '`label:name`' })),
    alias_name: Type.Optional(Type.String({ description: 'With `alias_label`.' })),
    alias_label: Type.Optional(Type.String({ description: 'With `alias_name`.' })),
    email: Type.Optional(Type.String({ description: 'Everybody who has the address is meant.' })),
    service_id: Type.Optional(Type.String({ description: 'The key is made of the configured word.' })),
    dispatch_id: Type.Optional(Type.String({ description: 'Alone, or with one person.' })),
    canvas_id: Type.Optional(Type.String({ description: 'With one person: what there was of this canvas.' })),
    campaign_id: Type.Optional(Type.String({ description: 'The same of a campaign.' })),
    ...paging(whyPageDefault, whyPageMax),
  },
  { description: 'At most one person, a dispatch, or both.' },
)

const WhyDispatch = Type.Object({
  dispatch_id: Type.String(),
  schedule_id: Text,
  send_id: Text,
  class: Type.String(),
  state: Type.String({ description: 'active, paused or cancelled' }),
  asked_at: Moment,
  schedule: Anything,
  segment_id: Text,
  audience: Type.Unknown(),
  broadcast: Type.Boolean(),
  recipient_subscription_state: Text,
})
export type WhyDispatch = Static<typeof WhyDispatch>

const WhyMessage = Type.Object({
  message_id: Type.String(),
  state: Type.String(),
  address: Text,
  subject: Text,
  response: Text,
  warnings: Type.Array(Type.String()),
  attempts: Type.Integer(),
  planned_at: Moment,
  ended_at: MaybeMoment,
  bounced_at: MaybeMoment,
  complained_at: MaybeMoment,
  engagement: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'opened, clicked, machine_opened, machine_clicked, unsubscribed' }),
      url: Text,
      first_at: Moment,
      last_at: Moment,
      count: Type.Integer(),
    }),
  ),
})
export type WhyMessage = Static<typeof WhyMessage>

const Id = Type.Union([Type.String(), Type.Null()], { description: 'The `service_id` of the person; null for nobody' })

const WhyPlace = Type.Object({
  ...{ kind: Type.String(), id: Type.String(), name: Type.String() },
  step: Type.Union([Type.String(), Type.Null()]),
  visit: Type.Integer(),
  entry_id: Type.Union([Type.String(), Type.Null()], { description: 'null: nobody has entered' }),
})
export type WhyPlace = Static<typeof WhyPlace>

const WhyDecision = Type.Object({
  at: Moment,
  person: Id,
  channel: Type.Union([Type.String(), Type.Null()], { description: 'null: about somebody in a canvas, not a message' }),
  reason: Type.Enum(Object.keys(reasons)),
  because: Type.String({ description: 'The reason as a sentence' }),
  rule: Text,
  inputs: Type.Unknown({ description: 'What the rule read, each with the time as of which it held' }),
  asked: Anything,
  dispatch: Type.Union([WhyDispatch, Type.Null()], {
    description: 'The order, of a canvas too; null where something that happened brought the person in',
  }),
  flow: Type.Union([WhyPlace, Type.Null()], {
    description: 'The canvas or campaign that it is about, and where there',
  }),
  message: Type.Union([WhyMessage, Type.Null()]),
})
export type WhyDecision = Static<typeof WhyDecision>

const WhyOpen = Type.Object({
  person: Id,
  channel: Text,
  waits_for: Type.String(),
  until: MaybeMoment,
  dispatch: Type.Union([WhyDispatch, Type.Null()]),
  flow: Type.Union([WhyPlace, Type.Null()]),
  message: Type.Union([WhyMessage, Type.Null()], { description: 'null while it is not known who is meant' }),
})
export type WhyOpen = Static<typeof WhyOpen>

export const WhyReply = Type.Object({
  people: Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'Who is asked about' }),
  reason: Type.Optional(Type.Enum(['no_such_user'])),
  because: Type.Optional(Type.String({ description: 'Why there is nothing to tell' })),
  canvas: Type.Optional(WhyFlow),
  campaign: Type.Optional(WhyFlow),
  entries: Type.Optional(
    Type.Array(WhyEntry, { description: 'Of the canvas or campaign, newest first; on the first page only' }),
  ),
  received: Type.Optional(Type.Array(WhyReceived, { description: 'Of those who have entered' })),
  never_entered: Type.Optional(Type.Array(WhyNever, { description: 'Of those who have not: why' })),
  open: Type.Array(WhyOpen, { description: 'What has not ended yet; on the first page only' }),
  decisions: Type.Array(WhyDecision, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last one' })),
})
export type WhyReply = Static<typeof WhyReply>
