import Type, { type Static, type TSchema } from 'typebox'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { entryStates } from '../entries/entry.ts'
import { trailMax } from '../entries/trail.ts'
import { Outline, shownChangesMax } from '../flows/schema.ts'
import { families } from '../ledger/families.ts'
import { FoundMessage, FoundPerson } from '../lookup/schema.ts'
import { PersonEntry } from '../timeline/schema.ts'

/** How far back counts may be limited: 92 days. Everything that is kept may be older. */
export const standingHoursMax = 92 * 24
/** Open entries that are looked at to find the one that waits longest. */
export const longestLookedAtMax = 20_000

const Count = Type.Integer({ minimum: 0 })
const Time = Type.String({ format: 'date-time' })
const OrNull = <const S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const countsBy = (description: string) => Type.Record(Type.String(), Count, { description })

const version = Type.Optional(
  Type.Integer({ minimum: 1, description: 'A version of the flow; the current one when absent' }),
)

export const StandingQuery = Type.Object({
  workspace,
  version,
  hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: standingHoursMax,
      description:
        'Counts go back to the beginning of the day (of the workspace) that was so many hours ago; absent: everything that is kept',
    }),
  ),
})

const MessageRates = Type.Object({
  channel: Type.String(),
  sent: Count,
  counts: Type.Array(
    Type.Object({
      measure: Type.String(),
      words: Type.String(),
      count: Count,
      of: OrNull(Type.Integer({ minimum: 0, description: 'What its share is taken of; null for a count without one' })),
    }),
  ),
  unknown: OrNull(Type.String({ description: 'What is not known of messages of this channel, as a sentence' })),
})
export type MessageRates = Static<typeof MessageRates>

const StepStanding = Type.Object({
  waiting: Type.Integer({
    minimum: 0,
    description: 'People who are at the step now, without those whose entry begins later',
  }),
  longest_ms: OrNull(
    Type.Integer({
      minimum: 0,
      description:
        'How long the person who waits longest has been there; null when nobody waits, or more than ' +
        `${longestLookedAtMax} people are on the version`,
    }),
  ),
  held: Type.Integer({ minimum: 0, description: 'Those of them who wait for the flow to be resumed' }),
  passed: Type.Integer({ minimum: 0, description: 'How often the step was left for the next one or the end' }),
  sent: Count,
  failed: Type.Integer({ minimum: 0, description: 'Messages that ended without being sent' }),
  by: countsBy('`passed` by the id of the next step; an empty name is the end'),
  paths: countsBy('`passed` by the name of the path, for a step with several: `yes`, `no`, `otherwise`, or its own'),
  left: countsBy('How often people left the flow at the step before its end, by reason'),
  reasons: countsBy('`failed` by reason'),
  outcomes: Type.Array(
    Type.Object({
      reason: Type.String(),
      words: Type.String(),
      family: Type.Enum([...families]),
      count: Count,
    }),
    { description: '`sent` and `reasons` in words, the most frequent first' },
  ),
  families: countsBy('`sent` and `failed` by family'),
  rates: Type.Union([MessageRates, Type.Null()], {
    description: 'What followed its messages, those of all versions of the flow; null for a step without a message',
  }),
})
export type StepStanding = Static<typeof StepStanding>

export const StandingReply = Type.Object({
  at: Time,
  version: Type.Integer(),
  since: OrNull(
    Type.String({ description: 'The first day that is counted (YYYY-MM-DD); null: everything that is kept' }),
  ),
  versions: Type.Array(Type.Object({ version: Type.Integer(), waiting: Count }), {
    description: 'How many people are on which version: the current one, and others with any; the newest first',
  }),
  entered: Type.Integer({ minimum: 0, description: 'Entries into this version' }),
  starts: countsBy('`entered` by the id of the first step'),
  ended: Type.Integer({ minimum: 0, description: 'Entries into this version that have ended' }),
  converted: Type.Integer({ minimum: 0, description: 'The first conversion of the flow, of all its versions' }),
  steps: Type.Record(Type.String(), StepStanding, {
    description: 'By the id of the step, in a campaign of the message',
  }),
})
export type StandingReply = Static<typeof StandingReply>

/** Entries in a page. */
export const entriesPage = 50
/** How many entries one request looks at. A page may then have fewer entries, and says until when it has looked. */
export const entriesLookedAtMax = 20_000
/** Characters of a step that is searched for. */
export const stepCharactersMax = 1_000
/** Messages of one entry in an answer. */
export const runMessagesMax = 200

/** `open`: every state but `ended`. */
export const entryStateNames = ['open', ...entryStates] as const

export const EntriesQuery = Type.Object({
  workspace,
  step: Type.Optional(
    Type.String({ maxLength: stepCharactersMax, description: 'Only people who are at this step, or ended there' }),
  ),
  state: Type.Optional(Type.Enum([...entryStateNames])),
  version,
  person: Type.Optional(Type.String({ description: 'Only the person with this id' })),
  cursor: Type.Optional(Type.String({ description: '`cursor` of the previous page' })),
})

const FlowEntry = Type.Interface([Type.Omit(PersonEntry, ['flow'])], {
  person: OrNull(FoundPerson),
  variant: OrNull(Type.String()),
  state: Type.Enum([...entryStates]),
  held: Type.Boolean({ description: 'Whether it waits for the flow to be resumed' }),
  reason: OrNull(Type.String({ description: 'How it ended: `completed`, or a reason' })),
  arrived_at: OrNull(
    Type.String({
      format: 'date-time',
      description: `When the person came to the step; null also when they have been at ${trailMax} steps or more`,
    }),
  ),
})
export type FlowEntry = Static<typeof FlowEntry>

export const EntriesReply = Type.Object({
  entries: Type.Array(FlowEntry, { description: 'Newest first' }),
  searched_until: Type.Union([Time, Type.Null()], {
    description: `Only entries since this time were looked at: one request looks at ${entriesLookedAtMax} at most`,
  }),
  cursor: Type.Optional(Type.String({ description: 'The cursor of the next page; absent on the last page' })),
})
export type EntriesReply = Static<typeof EntriesReply>

export const RunQuery = Type.Object({ workspace })

const Hop = Type.Object({
  step: Type.String(),
  step_name: OrNull(Type.String()),
  at: Time,
  path: OrNull(Type.String({ description: 'The path out of the step before, where it has several' })),
})

export const RunReply = Type.Object({
  entry: Type.Interface([FlowEntry], {
    because: OrNull(Type.String({ description: 'Why it ended' })),
    trail: Type.Array(Hop, { description: `The steps at which the person arrived, in order; the first ${trailMax}` }),
    trail_is_whole: Type.Boolean({
      description: 'Whether the trail has every arrival. That of an entry from before trails were kept has not',
    }),
  }),
  messages: Type.Union([Type.Array(Type.Omit(FoundMessage, ['person', 'flow'])), Type.Null()], {
    description: `Newest first, at most ${runMessagesMax}; null without the ability messages.read`,
  }),
  has_more_messages: Type.Boolean(),
})
export type RunReply = Static<typeof RunReply>

/** Versions in a page. */
export const versionsPage = 100

export const VersionsQuery = Type.Object({
  workspace,
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only versions before this one: `next_before`' })),
})

const VersionHead = Type.Object({
  version: Type.Integer(),
  created_at: Time,
  author: Type.Union([Type.Object({ kind: Type.String(), id: Type.String(), name: Type.String() }), Type.Null()], {
    description: 'As the audit has it. null: it does not know, or the account has not the ability audit.read',
  }),
  people: Type.Integer({ minimum: 0, description: 'People who are on this version now' }),
})
export type VersionHead = Static<typeof VersionHead>

export const VersionsReply = Type.Object({
  versions: Type.Array(VersionHead, { description: `The newest first; at most ${versionsPage}` }),
  next_before: Type.Union([Type.Integer(), Type.Null()], { description: '`before` of the next page; null at the end' }),
})
export type VersionsReply = Static<typeof VersionsReply>

export const VersionQuery = Type.Object({
  workspace,
  compared_with: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The version with which it is compared; the one before when absent' }),
  ),
})

export const VersionReply = Type.Object({
  version: VersionHead,
  definition: Type.Record(Type.String(), Type.Unknown(), { description: 'As the workspace file has it' }),
  outline: Type.Union([Outline, Type.Null()], { description: 'The version in words; null: it cannot be read' }),
  compared_with: OrNull(
    Type.Integer({ description: 'The version of `compared_with`, or the one before; null: there is none' }),
  ),
  changes: Type.Array(Type.String(), {
    description: `What differs from the version compared_with, in words; at most ${shownChangesMax}`,
  }),
  has_more_changes: Type.Boolean(),
})
export type VersionReply = Static<typeof VersionReply>

export const ConversionsQuery = Type.Object({ workspace })

const Part = Type.Number({ minimum: 0, maximum: 1 })
const share = {
  entered: Count,
  converted: Count,
  rate: OrNull(Part),
  low: OrNull(Part),
  high: OrNull(Part),
}

export const ConversionsReply = Type.Object({
  at: Time,
  conversions: Type.Array(
    Type.Object({
      name: Type.String(),
      sentence: Type.String({ description: 'What counts, and how long after a message' }),
      all: Type.Object(share),
      variants: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), ...share })),
    }),
    {
      description:
        'Each conversion of the flow: how many of those who entered it converted, of all versions. `low` and `high` are the 95% ' +
        'interval of `rate` after Wilson; all three are null when nobody entered.',
    },
  ),
})
export type ConversionsReply = Static<typeof ConversionsReply>
