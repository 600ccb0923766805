import Type, { type Static } from 'typebox'
import { SegmentSchema } from '../conditions/schema.ts'
import { SegmentWhy } from '../segments/people-schema.ts'

/** Parts of a tree whose sentences and counts are answered. */
export const partsMax = 100
/** Up to so many people of a workspace are counted one by one; more are estimated. */
export const countedPeopleMax = 50_000

const path = Type.String({ description: 'Where in the request, such as `audience.AND[2].NOT`.' })

export const AudienceBody = Type.Object({ audience: SegmentSchema })

export const SampleBody = Type.Object({
  audience: SegmentSchema,
  seed: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Another number selects other people.' })),
})

const words = Type.String({ description: 'The conditions as a sentence.' })

export const CheckReply = Type.Object({
  is_valid: Type.Boolean(),
  words: Type.Union([words, Type.Null()], { description: 'The audience as a sentence; null when it has mistakes.' }),
  parts: Type.Array(Type.Object({ path, words }), {
    description: `Each node without a mistake, outer nodes first; at most ${partsMax}.`,
  }),
  mistakes: Type.Array(Type.Object({ path, message: Type.String() }), {
    description: 'The first mistake of each condition.',
  }),
})
export type CheckReply = Static<typeof CheckReply>

export const CountBody = Type.Object({
  audience: SegmentSchema,
  exact: Type.Optional(
    Type.Boolean({ default: false, description: 'true: the people are counted one by one, which may take seconds.' }),
  ),
})

const count = Type.Integer({ minimum: 0 })
const error = Type.Integer({
  minimum: 0,
  description: 'An estimate is off by at most this with a probability of 95 %; 0 when people were counted one by one.',
})
const notCounted = { description: `null: it is not among the first ${partsMax} parts.` }

export const CountReply = Type.Object({
  count,
  error,
  is_exact: Type.Boolean({
    description: `true: people were counted one by one, as always for up to ${countedPeopleMax} people in the workspace.`,
  }),
  words,
  parts: Type.Array(
    Type.Object({
      path,
      count: Type.Union([count, Type.Null()], notCounted),
      error: Type.Union([error, Type.Null()], notCounted),
    }),
    { description: 'Each node, outer nodes first. All are estimated from the same people.' },
  ),
  at: Type.String({ format: 'date-time', description: 'The time at which the conditions were evaluated.' }),
})
export type CountReply = Static<typeof CountReply>

const Estimate = Type.Object({ count, error })

export const GroupCountsReply = Type.Object({
  subscribed: Estimate,
  unsubscribed: Estimate,
  is_exact: Type.Boolean(),
  at: Type.String({ format: 'date-time' }),
})
export type GroupCountsReply = Static<typeof GroupCountsReply>

export const WhyBody = Type.Object({
  audience: SegmentSchema,
  person: Type.Union([
    Type.String({ description: 'The id of a person, as in `/admin/people/{id}`.' }),
    Type.Object(
      {
        external_id: Type.Optional(Type.String()),
        alias_name: Type.Optional(Type.String({ description: 'With `alias_label`.' })),
        alias_label: Type.Optional(Type.String({ description: 'With `alias_name`.' })),
        email: Type.Optional(Type.String({ description: 'Of several people, the most recently updated one.' })),
      },
      { description: 'One identifier.' },
    ),
  ]),
})

const { segment: _, ...why } = SegmentWhy.properties
export const WhyReply = Type.Object({ words, ...why })
