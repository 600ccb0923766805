import Type, { type Static } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { DispatchEntry } from '../expansion/schema.ts'
import { families } from '../ledger/families.ts'

export const overviewHoursDefault = 1
export const overviewHoursMax = 168
/** The most paused flows that are named. */
export const pausedFlowsMax = 20
/** The most paused orders, and orders under way, that are described: of each its messages are counted. */
export const describedOrdersMax = 5

export const OverviewQuery = Type.Object({
  workspace,
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: overviewHoursMax,
      default: overviewHoursDefault,
      description: 'How many hours the figures of requests and messages go back',
    }),
  ),
})

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const Count = Type.Integer({ minimum: 0 })

const outcomeMembers = Object.fromEntries(families.map((family) => [family, Count])) as {
  [family in (typeof families)[number]]: typeof Count
}

export const attentionKinds = [
  'mail_server',
  'late',
  'failed_requests',
  'uncertain',
  'set_aside',
  'paused_canvas',
  'paused_campaign',
  'paused_dispatch',
] as const

const Attention = Type.Object({
  kind: Type.Enum([...attentionKinds]),
  sentence: Type.String({ description: 'What it is, and what can be done' }),
  id: Type.Union([Type.String(), Type.Null()], {
    description: 'The id of the canvas, the campaign or the dispatch; null for the others',
  }),
})
export type Attention = Static<typeof Attention>

const Due = Type.Object({
  work: Type.Enum(['slots', 'entries', 'messages', 'people'], {
    description:
      'slots of orders; entries of canvases; queued messages; accepted merges, deletions and identifications of people',
  }),
  waiting: Count,
  is_more: Type.Boolean({ description: 'Whether more than `waiting` wait: counting stops there' }),
  next_at: TimeOrNull,
  late_ms: Type.Integer({ minimum: 0, description: 'How long the oldest has been due' }),
})
export type Due = Static<typeof Due>

const requestCounts = {
  ok: Type.Integer({ description: 'Answers below 400' }),
  refused: Type.Integer({ description: 'Answers from 400 to 499' }),
  failed: Type.Integer({ description: 'Answers from 500' }),
}
const Updates = Type.Integer({ description: 'Entries of the lists in the bodies that were accepted' })

export const OverviewReply = Type.Object({
  at: Type.String({ format: 'date-time', description: 'When it was read, in machine time' }),
  clock_at: Type.String({ format: 'date-time', description: 'The same in business time' }),
  sentence: Type.String({ description: 'Whether all is well' }),
  is_well: Type.Boolean(),
  attention: Type.Array(Attention, { description: 'What an administrator should look at, the most urgent first' }),
  people: Type.Object({ count: Count, is_estimate: Type.Boolean() }),
  updates_a_minute: Type.Number({ description: 'On average in the last five whole minutes' }),
  requests: Type.Object({
    ...requestCounts,
    updates: Updates,
    step_ms: Type.Integer(),
    columns: Type.Array(
      Type.Object({
        at: Type.String({ format: 'date-time', description: 'The begin of the step, in machine time' }),
        ...requestCounts,
        updates: Updates,
      }),
      { description: 'By steps of time, the earliest first' },
    ),
    routes: Type.Array(
      Type.Object({
        route: Type.String({ description: 'Method and path of the endpoint' }),
        count: Count,
        refused: Count,
        failed: Count,
        items: Updates,
        mean_ms: Type.Number({ description: 'The mean time that an answer took, in milliseconds' }),
      }),
      { description: 'The endpoints with the most requests' },
    ),
  }),
  outcomes: Type.Object({
    ...outcomeMembers,
    step_ms: Type.Integer(),
    columns: Type.Array(
      Type.Object({
        at: Type.String({ format: 'date-time', description: 'The begin of the step, in business time' }),
        ...outcomeMembers,
      }),
      { description: 'Messages by when they were planned, in steps of time, the earliest first' },
    ),
    channels: Type.Array(
      Type.Object({
        channel: Type.String(),
        words: Type.String({ description: 'What its messages are called' }),
        ...outcomeMembers,
        tried: Type.Integer({ minimum: 0, description: 'Those that were sent, failed or are uncertain' }),
      }),
      { description: 'The same messages by channel: those that have any' },
    ),
  }),
  due: Type.Array(Due),
  under_way: Type.Array(DispatchEntry, { description: 'Orders of which something is going out now' }),
})
export type OverviewReply = Static<typeof OverviewReply>
