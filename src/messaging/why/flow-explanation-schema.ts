import Type, { type Static } from 'typebox'
import { reasons } from '../ledger/reasons.ts'

/** The most entries in one answer. */
export const entriesMax = 200
/** The most entries of one order whose decisions are looked up when the query names no person. */
export const orderEntriesMax = 1_000
/** The most people with one address that one answer explains when they never entered. */
export const neverMax = 5
/** The most moments that are explained at which a person could have entered, the latest ones. */
export const momentsMax = 10

export const whoForFlow = 'A person must be given with canvas_id or campaign_id'
export const oneFlowOnly = 'Only one of canvas_id and campaign_id may be given'

const Time = Type.String({ format: 'date-time' })
const TimeOrNull = Type.Union([Time, Type.Null()])
const TextOrNull = Type.Union([Type.String(), Type.Null()])
const BooleanOrNull = Type.Union([Type.Boolean(), Type.Null()])

export const WhyFlow = Type.Object(
  {
    kind: Type.String({ description: 'canvas or campaign.' }),
    id: Type.String(),
    name: Type.String(),
    state: Type.String(),
    version: Type.Integer({ description: 'The version that people enter now.' }),
  },
  { title: 'explained_flow' },
)
export type WhyFlow = Static<typeof WhyFlow>

export const WhyEntry = Type.Object({
  entry_id: Type.String(),
  person: Type.String(),
  version: Type.Integer({ description: 'The version that was current when the person entered.' }),
  state: Type.String({ description: 'arriving, waiting, listening, sending or ended.' }),
  ended: Type.Union([Type.String(), Type.Null()], { description: '`completed`, or the reason why it ended.' }),
  because: TextOrNull,
  sentence: Type.String({ description: 'Where the person stands, or how the entry ended.' }),
  variant: TextOrNull,
  variant_name: TextOrNull,
  in_control: Type.Boolean(),
  step: TextOrNull,
  step_name: TextOrNull,
  step_type: TextOrNull,
  visit: Type.Integer(),
  waits_for: TextOrNull,
  until: TimeOrNull,
  timing: Type.Union(
    [
      Type.Object({
        hour: Type.Integer(),
        due_at: Time,
        source: Type.String({ description: 'own, workspace or schedule: what determined the hour.' }),
      }),
      Type.Null(),
    ],
    { description: 'The optimal hour of the person, and how it was found.' },
  ),
  entered_at: Time,
  ended_at: TimeOrNull,
  dispatch_id: Type.Union([Type.String(), Type.Null()], { description: 'null: the person entered after an event.' }),
})
export type WhyEntry = Static<typeof WhyEntry>

export const WhyReceived = Type.Object({
  person: Type.String(),
  entries: Type.Integer(),
  last_entered_at: TimeOrNull,
  last_exited_at: TimeOrNull,
  last_received_at: TimeOrNull,
  variant: TextOrNull,
  in_control: Type.Boolean(),
  opened_at: TimeOrNull,
  clicked_at: TimeOrNull,
  converted: Type.Array(Type.String()),
})
export type WhyReceived = Static<typeof WhyReceived>

const WhyMoment = Type.Object({
  at: Time,
  what: Type.String({
    description:
      'now; order: an order named the person or selected people; schedule: the schedule selected people; event: the entry trigger happened',
  }),
  dispatch_id: TextOrNull,
  version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The version that was current then. null: there was none yet.',
  }),
  in_segment: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: not known, because it was not recorded yet.',
  }),
  in_audience: BooleanOrNull,
  sentence: Type.String(),
  because: Type.Unknown({
    description:
      'The segment, condition by condition: `has`, as of when (`as_of`), and since when (`since`); `holds` null where it is not known',
  }),
})
export type WhyMoment = Static<typeof WhyMoment>

export const WhyNever = Type.Object({
  person: Type.String(),
  reason: Type.Union([Type.Enum(Object.keys(reasons)), Type.Null()]),
  because: Type.String(),
  sentence: Type.String(),
  moments: Type.Array(WhyMoment, {
    description: 'Now, and the moments when the person could have entered, newest first.',
  }),
})
export type WhyNever = Static<typeof WhyNever>
