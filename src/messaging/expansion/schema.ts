import Type, { type Static, type TObject } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { flowKinds } from '../flows/flow.ts'
import { families } from '../ledger/families.ts'
import { reasons } from '../ledger/reasons.ts'
import { messageClasses } from '../messages/message.ts'
import { messageStates } from '../messages/states.ts'

export const orderPageMax = 100
export const orderPageDefault = 20

/** The state that the administrator sees: `waiting` before any recipient was found, `done` when nothing is left to do. */
export const progress = ['waiting', 'running', 'paused', 'cancelled', 'done'] as const
export type Progress = (typeof progress)[number]

/** What an administrator may do with an order: the last parts of the paths. */
export const orderActions = ['pause', 'resume', 'cancel', 'send-missed'] as const
export type OrderAction = (typeof orderActions)[number]

const OutcomeEntry = Type.Object({
  reason: Type.Union([Type.String(), Type.Null()], {
    description:
      'A reason of the ledger; `completed` for people who reached the end of a flow; null for what has not ended.',
  }),
  words: Type.String({ description: 'The reason in words.' }),
  family: Type.Enum([...families]),
  count: Type.Integer({ minimum: 0 }),
  has_messages: Type.Boolean({
    description:
      'Whether `GET /admin/messages` lists messages for it: with this `dispatch` and `reason`, ' +
      'or with `family=waiting` for what has not ended.',
  }),
})
export type Outcome = Static<typeof OutcomeEntry>

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const counts = (names: readonly string[], description: string): TObject =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Count)])), { description })

const members = {
  dispatch_id: Type.String({ description: '32 hexadecimal digits.' }),
  schedule_id: TextOrNull,
  state: Type.Enum([...progress]),
  sentence: Type.String({ description: 'How far it is.' }),
  what: Type.String({ description: 'What it sends, without the subject.' }),
  recipient_words: Type.String({ description: 'The people who get it.' }),
  to_go: Type.Integer({ description: 'What was found and has not ended.' }),
  outcomes: Type.Array(OutcomeEntry, {
    description: 'What became of it: the most frequent first, what has not ended last.',
  }),
  actions: Type.Array(Type.Enum([...orderActions]), { description: 'What can be done with it now.' }),
  class: Type.Enum([...messageClasses]),
  send_id: TextOrNull,
  created_at: Time,
  updated_at: Time,
  resumed_at: TimeOrNull,
  schedule: Type.Union([
    Type.Object({
      time: Type.String(),
      in_local_time: Type.Boolean(),
      at_optimal_time: Type.Boolean(),
      dropped_offset: Type.Optional(Type.String({ description: 'The offset of a local time, which is not used.' })),
    }),
    Type.Null(),
  ]),
  recipients: Type.Object({
    named: Type.Union([Count, Type.Null()], { description: 'How many recipients were named; null when none were.' }),
    segment_id: TextOrNull,
    audience: Type.Boolean(),
    broadcast: Type.Boolean(),
  }),
  subject: Type.Union([Type.String(), Type.Null()], {
    description:
      'null for an order without an e-mail, and for an account that may not read messages with personal data.',
  }),
  next_due_at: TimeOrNull,
  found: Type.Integer({ description: 'People found so far.' }),
  unknown: Type.Integer({ description: 'Recipients with an identifier that no person had.' }),
  flow: Type.Union(
    [
      Type.Object({
        kind: Type.Enum([...flowKinds]),
        id: Type.String({ description: 'The canvas_id or campaign_id.' }),
        name: TextOrNull,
        by: Type.Enum(['api', 'schedule']),
      }),
      Type.Null(),
    ],
    { description: 'The flow that people enter by the order. Its messages belong to the entries.' },
  ),
  entries: Type.Record(Type.String(), Count, {
    description: 'Counts of open entries by state, of others by how they ended.',
  }),
  messages: counts(messageStates, 'Counts of messages by state.'),
  reasons: counts(Object.keys(reasons), 'Counts of ended messages by reason, including those of deleted people.'),
}

export const DispatchEntry = Type.Object(members, { title: 'dispatch_entry' })
export type DispatchEntry = Static<typeof DispatchEntry>

export const DispatchesReply = Type.Object({
  dispatches: Type.Array(DispatchEntry, { description: 'Newest first.' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page. Absent on the last one.' })),
})
export type DispatchesReply = Static<typeof DispatchesReply>

const SlotEntry = Type.Object({
  zone: Type.String({
    description:
      'A time zone; "" all people; "-" people without a time zone; "*" people who were in no other slot; "!" missed recipients.',
  }),
  due_at: Time,
  state: Type.Enum(['waiting', 'held', 'running', 'done', 'cancelled', 'missed']),
  reason: Type.Union([Type.Enum(['local_time_passed', 'missed']), Type.Null()]),
  found: Count,
  unknown: Count,
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why its people were not found.' }),
})

export const DispatchReply = Type.Object({
  dispatch: Type.Object({
    ...members,
    sending: Type.Object({}, { description: 'The content and the recipients, as they were accepted.' }),
    slots: Type.Array(SlotEntry),
  }),
})
export type DispatchReply = Static<typeof DispatchReply>

export const DispatchesQuery = Type.Object({ workspace, ...paging(orderPageDefault, orderPageMax) })
export const DispatchQuery = Type.Object({ workspace })
