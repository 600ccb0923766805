import Type, { type Static } from 'typebox'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { WhyFlow } from './entered-schema.ts'

/** People of each outcome who are shown. */
export const shownMax = 10
/** How long people are looked at before the answer says that it is not complete; machine time. */
export const dryRunMs = 45_000

export const DryRunQuery = WorkspaceQuery

export const DryRunBody = Type.Object(
  {
    recipients: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'As an order names them' }),
    ),
    audience: Type.Optional(Type.Object({}, { description: 'As an order gives it: a tree of conditions' })),
  },
  { description: 'An order that is not placed; without recipients everybody is looked at' },
)

const Text = Type.Union([Type.String(), Type.Null()])

const Shown = Type.Object({
  outcome: Type.String({ description: '`would_enter`, or the reason why not' }),
  person: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'null for nobody',
  }),
  asked: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The identifier that nobody has' })),
  variant: Text,
  because: Type.String(),
  rule: Text,
  inputs: Type.Unknown({ description: 'What the rule read, each with the time as of which it held' }),
})

const reply = {
  as_of: Type.String({ format: 'date-time' }),
  complete: Type.Boolean({ description: 'false: it took too long, and the counts are of those who were looked at' }),
  counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'How many people by outcome: `would_enter` and get what is sent, or the reason why not',
  }),
  variants: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description: 'Of those who would enter' }),
  not_judged: Type.Array(Type.String(), { description: 'Reasons that only the moment of sending can tell' }),
  notice: Type.Optional(Type.String({ description: 'Why nobody enters at all at the moment' })),
  sample: Type.Array(Shown, { description: `At most ${shownMax} people of each outcome` }),
}

export const DryRunReply = Type.Object({ canvas: Type.Optional(WhyFlow), campaign: Type.Optional(WhyFlow), ...reply })
export type DryRunReply = Static<typeof DryRunReply>
