import Type, { type Static } from 'typebox'
import { WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { WhyFlow } from './flow-explanation-schema.ts'

/** The most people of each outcome in the sample. */
export const sampleMax = 10
/** Machine time after which a dry run ends with an answer that is not complete. */
export const dryRunMs = 45_000

export const DryRunQuery = WorkspaceQuery

export const DryRunBody = Type.Object(
  {
    recipients: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'As in an order.' }),
    ),
    definition: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The canvas or campaign as in the workspace file, also before it is published. Absent: as it runs.',
        },
      ),
    ),
    audience: Type.Optional(Type.Object({}, { description: 'A tree of conditions, as in an order.' })),
    segment_id: Type.Optional(Type.String({ description: 'The id of a segment, as in an order.' })),
  },
  { description: 'An order that is not carried out. Without recipients it is for all people.' },
)

const TextOrNull = Type.Union([Type.String(), Type.Null()])

const SamplePerson = Type.Object({
  outcome: Type.String({ description: '`would_enter`, or the reason why not.' }),
  person: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'null: nobody has the identifier.',
  }),
  asked: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The identifier that nobody has.' })),
  variant: TextOrNull,
  because: Type.String(),
  rule: TextOrNull,
  inputs: Type.Unknown({ description: 'What the rule read, and as of when.' }),
})

const reply = {
  as_of: Type.String({ format: 'date-time' }),
  complete: Type.Boolean({ description: 'false: it took too long, and not all people are counted.' }),
  counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'How many people have which outcome: `would_enter`, or the reason why not.',
  }),
  without_attribute: Type.Integer({
    minimum: 0,
    description: 'How many of `would_enter` are chosen only because they lack an attribute that a condition compares.',
  }),
  words: Type.Object(
    { segment: Type.Optional(Type.String()), audience: Type.Optional(Type.String()) },
    { description: 'The conditions that people must meet, in words.' },
  ),
  variants: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'How many of the people who would enter get which variant, by its id.',
  }),
  variant_names: Type.Record(Type.String(), Type.String(), { description: 'The names of the variants, by their ids.' }),
  not_judged: Type.Array(Type.String(), { description: 'Reasons that are known only when a message is sent.' }),
  notice: Type.Optional(Type.String({ description: 'Why nobody enters at the moment.' })),
  sample: Type.Array(SamplePerson, { description: `At most ${sampleMax} people of each outcome.` }),
}

export const DryRunReply = Type.Object({ canvas: Type.Optional(WhyFlow), campaign: Type.Optional(WhyFlow), ...reply })
export type DryRunReply = Static<typeof DryRunReply>
