import Type, { type Static, type TObject } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { flowKinds } from '../flows/flow.ts'
import { reasons } from '../ledger/reasons.ts'
import { messageClasses } from '../messages/message.ts'
import { messageStates } from '../messages/states.ts'

export const pageMax = 100
export const pageDefault = 20

/** How a dispatch stands, as it is shown: `waiting` before anybody was found, `running` until nothing of it is left to do. */
export const progress = ['waiting', 'running', 'paused', 'cancelled', 'done'] as const

const Moment = Type.String({ format: 'date-time' })
const MomentOrNull = Type.Union([Moment, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const Count = Type.Integer({ minimum: 0 })
const counts = (names: readonly string[], description: string): TObject =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Count)])), { description })

const members = {
  dispatch_id: Type.String({ description: '32 hexadecimal digits' }),
  schedule_id: TextOrNull,
  state: Type.Enum([...progress]),
  class: Type.Enum([...messageClasses]),
  send_id: TextOrNull,
  created_at: Moment,
  updated_at: Moment,
  resumed_at: MomentOrNull,
  schedule: Type.Union([
    Type.Object({
      time: Type.String(),
      in_local_time: Type.Boolean(),
      at_optimal_time: Type.Boolean(),
      dropped_offset: Type.Optional(Type.String({ description: 'Stood in a local time and is not used' })),
    }),
    Type.Null(),
  ]),
  recipients: Type.Object({
    named: Type.Union([Count, Type.Null()], { description: 'How many were named; null when nobody was' }),
    segment_id: TextOrNull,
    audience: Type.Boolean(),
    broadcast: Type.Boolean(),
  }),
  subject: TextOrNull,
  next_due_at: MomentOrNull,
  found: Type.Integer({ description: 'People that were found so far' }),
  unknown: Type.Integer({ description: 'Identifiers that nobody had' }),
  flow: Type.Union(
    [
      Type.Object({
        kind: Type.Enum([...flowKinds]),
        id: Type.String({ description: 'The canvas_id or campaign_id' }),
        by: Type.Enum(['api', 'schedule']),
      }),
      Type.Null(),
    ],
    { description: 'What people enter by it; then messages are of their entries' },
  ),
  entries: Type.Record(Type.String(), Count, { description: 'How many people stand where in it, or left it how' }),
  messages: counts(messageStates, 'How many messages are in which state'),
  reasons: counts(Object.keys(reasons), 'How many ended for which reason; those of deleted people included'),
}

const DispatchEntry = Type.Object(members)
export type DispatchEntry = Static<typeof DispatchEntry>

export const DispatchesReply = Type.Object({
  dispatches: Type.Array(DispatchEntry, { description: 'Newest first' }),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last one' })),
})
export type DispatchesReply = Static<typeof DispatchesReply>

const SlotEntry = Type.Object({
  zone: Type.String({
    description:
      '"" everybody; a time zone; "-" whoever has none; "*" whoever was left at the end; "!" whom it had missed',
  }),
  due_at: Moment,
  state: Type.Enum(['waiting', 'held', 'running', 'done', 'cancelled', 'missed']),
  reason: Type.Union([Type.Enum(['local_time_passed', 'missed']), Type.Null()]),
  found: Count,
  unknown: Count,
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why its people were not found' }),
})

export const DispatchReply = Type.Object({
  dispatch: Type.Object({
    ...members,
    sending: Type.Object({}, { description: 'What is sent to whom, as it was accepted' }),
    slots: Type.Array(SlotEntry),
  }),
})
export type DispatchReply = Static<typeof DispatchReply>

export const DispatchesQuery = Type.Object({ workspace, ...paging(pageDefault, pageMax) })
export const DispatchQuery = Type.Object({ workspace })
