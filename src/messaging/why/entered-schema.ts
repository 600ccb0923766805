import Type, { type Static } from 'typebox'
import { reasons } from '../ledger/reasons.ts'

/** Entries that are shown. */
export const entriesMax = 200
/** Entries of one order whose decisions are looked for where nobody is named. */
export const orderEntriesMax = 1_000
/** People of one address for whom it is looked into why they never entered. */
export const neverMax = 5
/** Moments at which somebody could have entered: so many are looked into, the latest ones. */
export const momentsMax = 10

export const whoForFlow = 'A person must be given with canvas_id or campaign_id'
export const oneFlowOnly = 'Only one of canvas_id and campaign_id may be given'

const Moment = Type.String({ format: 'date-time' })
const MaybeMoment = Type.Union([Moment, Type.Null()])
const Text = Type.Union([Type.String(), Type.Null()])
const Truth = Type.Union([Type.Boolean(), Type.Null()])

export const WhyFlow = Type.Object({
  kind: Type.String({ description: 'canvas or campaign' }),
  id: Type.String(),
  name: Type.String(),
  state: Type.String(),
  version: Type.Integer({ description: 'The one whom enters now gets' }),
})
export type WhyFlow = Static<typeof WhyFlow>

export const WhyEntry = Type.Object({
  entry_id: Type.String(),
  person: Type.String(),
  version: Type.Integer({ description: 'The one that was current when the person entered' }),
  state: Type.String({ description: 'arriving, waiting, listening, sending, calling or ended' }),
  ended: Type.Union([Type.String(), Type.Null()], { description: '`completed`, or the reason why it ended' }),
  because: Text,
  variant: Text,
  variant_name: Text,
  in_control: Type.Boolean(),
  step: Text,
  step_name: Text,
  step_type: Text,
  visit: Type.Integer(),
  waits_for: Text,
  until: MaybeMoment,
  timing: Type.Union(
    [
      Type.Object({
        hour: Type.Integer(),
        due_at: Moment,
        source: Type.String({ description: 'own, workspace or schedule: by whose habits it was found' }),
      }),
      Type.Null(),
    ],
    { description: 'The hour that suits the person, and how it was found' },
  ),
  entered_at: Moment,
  ended_at: MaybeMoment,
  dispatch_id: Type.Union([Type.String(), Type.Null()], { description: 'null: something that happened brought it' }),
})
export type WhyEntry = Static<typeof WhyEntry>

export const WhyReceived = Type.Object({
  person: Type.String(),
  entries: Type.Integer(),
  last_entered_at: MaybeMoment,
  last_exited_at: MaybeMoment,
  last_received_at: MaybeMoment,
  variant: Text,
  in_control: Type.Boolean(),
  opened_at: MaybeMoment,
  clicked_at: MaybeMoment,
  converted: Type.Array(Type.String()),
})
export type WhyReceived = Static<typeof WhyReceived>

const WhyMoment = Type.Object({
  at: Moment,
  what: Type.String({
    description:
      'now; order: it named the person or looked for people then; schedule: it looked for people; event: what the flow is entered by',
  }),
  dispatch_id: Text,
  version: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The one that was current then; null before the first',
  }),
  in_segment: Type.Union([Type.Boolean(), Type.Null()], { description: 'null: not known, for it was not kept yet' }),
  in_audience: Truth,
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
  moments: Type.Array(WhyMoment, { description: 'Now, and when the person could have entered, newest first' }),
})
export type WhyNever = Static<typeof WhyNever>
