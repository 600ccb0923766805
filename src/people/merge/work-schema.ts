import Type, { type Static } from 'typebox'
import { paging, workspace } from '../../workspace/settings/query-schema.ts'
import type { Identifier } from '../identity/identifier.ts'
import type { Priority } from '../identity/prioritization.ts'

export const workKinds = ['merge', 'delete', 'identify'] as const
export type WorkKind = (typeof workKinds)[number]

/** `moving`: done, but the history is still to be moved or deleted. */
export const workStates = ['waiting', 'moving', 'done'] as const
export type WorkState = (typeof workStates)[number]

/**
 * Only `done` has changed people. `discarded`: an administrator ended it before it was carried out. `failed` is a defect of Easel, and the
 * log has the error.
 */
export const workOutcomes = [
  'done',
  'nobody_matched',
  'several_matched',
  'same_person',
  'already_identified',
  'label_taken',
  'discarded',
  'failed',
] as const
export type WorkOutcome = (typeof workOutcomes)[number]

/** Selects a person; an address has a `prioritization`. */
export type Selector = Identifier & { readonly prioritization?: readonly Priority[] }

export const behaviors = ['merge', 'none'] as const
export type MergeBehavior = (typeof behaviors)[number]

/** One item as in the request: `who` is merged into `into`, identified as `into`, or deleted. */
export type WorkRequest = {
  readonly who: Selector
  readonly into?: Selector
  /** For `identify` only: what happens when another person has the external_id. */
  readonly merge_behavior?: MergeBehavior
}

/** An accepted item. */
export type WorkItem = {
  readonly bucket: number
  readonly request_id: string
  /** The index in its request, from 0. */
  readonly position: number
  readonly workspace_id: number
  readonly kind: WorkKind
  readonly asked: WorkRequest
}

const Moment = Type.String({ format: 'date-time' })
const ServiceId = Type.Union([Type.String(), Type.Null()])

const WorkEntry = Type.Object({
  request_id: Type.String({ format: 'uuid', description: 'The X-Request-Id of the response that accepted it' }),
  position: Type.Integer({ minimum: 0, description: 'Index of the item in its request, from 0' }),
  kind: Type.Enum([...workKinds]),
  state: Type.Enum([...workStates]),
  outcome: Type.Union([Type.Enum([...workOutcomes]), Type.Null()]),
  asked: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'The item as in the request; null after a deletion, unless it failed',
  }),
  kept: ServiceId,
  merged: ServiceId,
  accepted_at: Moment,
  finished_at: Type.Union([Moment, Type.Null()]),
  who: Type.Union([Type.String(), Type.Null()], { description: 'The people that `asked` names, in words' }),
  sentence: Type.String({ description: 'What became of it' }),
  family: Type.Enum(['waiting', 'sent', 'failed', 'held'], { description: 'How the dashboard marks it' }),
  actions: Type.Array(Type.Enum(['retry', 'discard']), { description: 'What can be done with it now' }),
})
export type WorkEntry = Static<typeof WorkEntry>

/** The answer of an action: the item as it is now. */
export const WorkItemReply = Type.Object({ work: WorkEntry })

export const WorkReply = Type.Object({
  work: Type.Array(WorkEntry, { description: 'Newest first' }),
  counts: Type.Object(
    { waiting: Type.Integer(), ...Object.fromEntries(workOutcomes.map((outcome) => [outcome, Type.Integer()])) },
    { description: 'Counts of the newest items that match `kind` and `request_id`, of any state and outcome' },
  ),
  cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last page' })),
})
export type WorkReply = Static<typeof WorkReply>

export const workPageMax = 100
export const workPageDefault = 50

export const WorkQuery = Type.Object({
  workspace,
  kind: Type.Optional(Type.Enum([...workKinds])),
  state: Type.Optional(Type.Enum([...workStates])),
  outcome: Type.Optional(Type.Enum([...workOutcomes])),
  request_id: Type.Optional(Type.String({ format: 'uuid' })),
  ...paging(workPageDefault, workPageMax),
})
