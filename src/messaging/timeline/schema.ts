import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import { flowKinds } from '../flows/flow.ts'
import { families } from '../ledger/families.ts'

/** Items in a page of a timeline. */
export const timelineDefault = 50
export const timelineMax = 200
/** How long one request looks for items, in milliseconds of the machine. What it has by then is its page. */
export const timelineMsMax = 2_000
/** The most characters of the properties of an event or a purchase in an item. */
export const detailCharactersMax = 1_000
/** The most people who were merged into the person whose work items are looked up. */
export const mergedIdsMax = 200
/** The most entries in the list of one person. */
export const personEntriesMax = 200

/**
 * `decision`: something was not sent, or the person did not enter. `engagement`: opens, clicks, bounces, complaints and unsubscribes.
 * `flow`: the person entered a canvas or campaign, or left it. `work`: a merge.
 */
export const timelineKinds = [
  'event',
  'purchase',
  'session',
  'message',
  'decision',
  'engagement',
  'flow',
  'work',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

const Time = Type.String({ format: 'date-time' })
const OrNull = <const S extends object>(schema: S) => Type.Union([schema, Type.Null()])
const TextOrNull = OrNull(Type.String())

const FlowLink = Type.Object({ kind: Type.Enum([...flowKinds]), id: Type.String(), name: Type.String() })
export type FlowLink = Static<typeof FlowLink>

const TimelineItem = Type.Object({
  at: Time,
  kind: Type.Enum([...timelineKinds]),
  family: OrNull(Type.Enum([...families])),
  sentence: Type.String({ description: 'What happened, in plain English' }),
  detail: Type.Union([Type.String(), Type.Null()], {
    description: `Properties as JSON, the rule that decided, or what a server said; at most ${detailCharactersMax} characters`,
  }),
  reason: TextOrNull,
  message_id: TextOrNull,
  flow: OrNull(FlowLink),
  step: TextOrNull,
  entry_id: TextOrNull,
  dispatch_id: TextOrNull,
  request_id: Type.Union([Type.String(), Type.Null()], { description: 'Of the request that asked for a merge' }),
})
export type TimelineItem = Static<typeof TimelineItem>

export const TimelineReply = Type.Object({
  id: Type.String({ description: 'The id of the person, or of the person who was kept after a merge' }),
  merged_from: TextOrNull,
  time_zone: Type.String({ description: 'The time zone of the person, else that of the workspace' }),
  items: Type.Array(TimelineItem, { description: 'Newest first' }),
  searched_until: Type.Union([Time, Type.Null()], {
    description: 'Everything from now back to this time was looked at; null: everything that is kept',
  }),
  cursor: Type.Union([Type.String(), Type.Null()], { description: 'Continues at `searched_until`; null at the end' }),
})
export type TimelineReply = Static<typeof TimelineReply>

export const TimelineQuery = Type.Object({
  workspace,
  kinds: Type.Optional(
    Type.String({ description: `Some of ${timelineKinds.join(', ')}, with commas between them. Absent: all` }),
  ),
  ...paging(timelineDefault, timelineMax),
})

export const PersonEntry = Type.Object({
  entry_id: Type.String(),
  flow: FlowLink,
  version: Type.Integer(),
  is_open: Type.Boolean(),
  family: OrNull(Type.Enum([...families])),
  sentence: Type.String({ description: 'Where the person stands and what they wait for, or how the entry ended' }),
  step: TextOrNull,
  step_name: TextOrNull,
  variant_name: TextOrNull,
  waits_for: TextOrNull,
  until: OrNull(Time),
  entered_at: Time,
  ended_at: OrNull(Time),
})
export type PersonEntry = Static<typeof PersonEntry>

export const PersonEntriesReply = Type.Object({
  sentence: Type.String({
    description: 'In how many canvases and campaigns the person stands, and when the last mail was sent',
  }),
  entries: Type.Array(PersonEntry, { description: `Open ones first, then the newest; at most ${personEntriesMax}` }),
  has_more: Type.Boolean(),
})
export type PersonEntriesReply = Static<typeof PersonEntriesReply>

export const PersonEntriesQuery = Type.Object({ workspace })
