import Type, { type Static } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'

/** The most people of one page. */
export const peopleMax = 500
export const peopleDefault = 100
export const sampleMax = 100
export const sampleDefault = 10

export const SegmentCountQuery = Type.Object({ workspace })
export const CountReply = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  without_attribute: Type.Integer({
    minimum: 0,
    description: 'How many of them are in the segment only because they lack an attribute that a condition compares.',
  }),
})

const Text = Type.Union([Type.String(), Type.Null()])

const PersonSummary = Type.Object(
  {
    external_id: Text,
    email: Text,
    phone: Text,
    first_name: Text,
    last_name: Text,
    user_aliases: Type.Array(Type.Object({ alias_name: Type.String(), alias_label: Type.String() })),
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    title: 'identified_person',
    description: 'It also has the id that Easel assigned, `service_id`.',
    additionalProperties: true,
  },
)
/** The identifiers of a person for an administrator. The key of the `service_id` has the configured word. */
export type PersonSummary = Static<typeof PersonSummary>

const People = Type.Array(PersonSummary)

export const SegmentPeopleQuery = Type.Object({
  workspace,
  after: Type.Optional(Type.String({ description: '`next` of the previous page; absent for the first page.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: peopleMax, default: peopleDefault })),
})

export const SegmentPeople = Type.Object({
  people: People,
  next: Type.Union([Type.String(), Type.Null()], { description: '`after` of the next page; null at the end.' }),
})

export const SegmentSampleQuery = Type.Object({
  workspace,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: sampleMax, default: sampleDefault })),
  seed: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Another number selects other people.' })),
})

export const SegmentSample = Type.Object({ people: People })

export const SegmentWhyQuery = Type.Object(
  {
    workspace,
    external_id: Type.Optional(Type.String()),
    alias_name: Type.Optional(Type.String({ description: 'With `alias_label`.' })),
    alias_label: Type.Optional(Type.String({ description: 'With `alias_name`.' })),
    email: Type.Optional(Type.String({ description: 'Of several people, the most recently updated one.' })),
    service_id: Type.Optional(Type.String({ description: 'The key has the configured word.' })),
    person: Type.Optional(Type.String({ description: 'The id of a person, as in `/admin/people/{id}`.' })),
  },
  { description: 'One person.' },
)

export const whyReasons = ['in_segment', 'not_in_segment', 'no_such_user'] as const

export const SegmentWhy = Type.Object({
  segment: Type.Object({ id: Type.String(), name: Type.String(), words: Type.String() }),
  person: Type.Union([PersonSummary, Type.Null()]),
  in: Type.Boolean(),
  reason: Type.Enum([...whyReasons]),
  sentence: Type.String({ description: 'Whether the person is in the segment, and the conditions that decided' }),
  because: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'The conditions; each says whether it holds and what the person has.',
  }),
})
