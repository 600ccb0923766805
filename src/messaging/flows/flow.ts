import type { NumberComparison, Presence, Scalar } from '../../audience/conditions/tree.ts'
import type { WebhookContent } from '../channels/webhook/content.ts'

export const flowKinds = ['canvas', 'campaign'] as const
export type FlowKind = (typeof flowKinds)[number]

/** The states of a flow. `archived`: it was stopped, and its entries end. */
export const flowStates = ['draft', 'active', 'paused', 'archived'] as const
export type FlowState = (typeof flowStates)[number]

/** An audience: a stored segment, or a tree as it was given, with any leaf that a segment may have. */
export type Condition = { readonly segment_id: string } | { readonly audience: unknown }

/** A comparison of a property of an event. */
export type PropertyTest = {
  readonly property: string
  readonly comparison: NumberComparison | Presence['comparison']
  readonly value?: Scalar
}

/** The events or purchases that a step or a rule waits for. `name` undefined: any purchase. */
export type Trigger = {
  readonly kind: 'event' | 'purchase'
  readonly name: string | undefined
  readonly tests: readonly PropertyTest[]
  /** Properties that must have the values of the event that began the entry. */
  readonly same: readonly string[]
}

/** A path out of a step. Without `next` the canvas ends there. */
export type Path = { readonly name: string; readonly next: string | undefined }

type StepHead = { readonly id: string; readonly name: string }

export type MessageStep = StepHead & {
  readonly type: 'message'
  readonly channel: string
  /** What it sends, as the channel reads it. */
  readonly content: unknown
  readonly next: string | undefined
}
export type DelayStep = StepHead & {
  readonly type: 'delay'
  /** A duration, or until the next local time `until` (`HH:MM`) of the person, on one of the weekdays (1 Monday to 7) if any are given. */
  readonly wait: { readonly forMs: number } | { readonly until: string; readonly weekdays: readonly number[] }
  readonly next: string | undefined
}
export type DecisionStep = StepHead & {
  readonly type: 'decision'
  readonly condition: Condition
  readonly yes: string | undefined
  readonly no: string | undefined
}
export type PathsStep = StepHead & {
  readonly type: 'paths'
  readonly paths: readonly (Path & { readonly condition: Condition })[]
  readonly otherwise: string | undefined
}
export type ActionPathsStep = StepHead & {
  readonly type: 'action_paths'
  readonly withinMs: number
  readonly paths: readonly (Path & { readonly on: Trigger })[]
  readonly otherwise: string | undefined
}
export type ExperimentStep = StepHead & {
  readonly type: 'experiment'
  readonly paths: readonly (Path & { readonly percent: number })[]
}
export type UpdateUserStep = StepHead & {
  readonly type: 'update_user'
  /** As in `/users/track`, without identifiers, `email` and `phone`. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly next: string | undefined
}
/** What a flow does, as the workspace file gives it: the members that are versioned. */
export type FlowDefinition = Readonly<Record<string, unknown>>

/** A message by the channel webhook, with the members of its content. */
export type WebhookStep = StepHead &
  Omit<WebhookContent, 'message_variation_id'> & {
    readonly type: 'webhook'
    readonly next: string | undefined
  }

export type Step =
  | MessageStep
  | DelayStep
  | DecisionStep
  | PathsStep
  | ActionPathsStep
  | ExperimentStep
  | UpdateUserStep
  | WebhookStep
export type StepType = Step['type']
export const stepTypes = [
  'message',
  'delay',
  'decision',
  'paths',
  'action_paths',
  'experiment',
  'update_user',
  'webhook',
] as const satisfies readonly StepType[]

/** What a step sends: its channel, and the content as the channel reads it. Undefined: it sends nothing. Pure. */
export function sentBy(step: Step | undefined): { readonly channel: string; readonly content: unknown } | undefined {
  if (step?.type === 'message') return step
  return step?.type === 'webhook' ? { channel: 'webhook', content: step } : undefined
}

/** How often a person may enter. */
export type ReentryRule = 'never' | 'always' | { readonly afterMs: number }

/** When the people in the segment enter: at a time of day, on all or some weekdays, in the time zone of each person or in one zone. */
export type Recurrence = {
  readonly at: string
  /** 1 Monday to 7; empty: every day. */
  readonly days: readonly number[]
  /** `local`, or the name of a time zone. */
  readonly zone: string
  /** ISO dates, inclusive. */
  readonly from: string | undefined
  readonly until: string | undefined
}

export type Conversion = {
  /** `Primary Conversion Event - A`, ... */
  readonly name: string
  readonly on: Trigger | { readonly kind: 'engagement'; readonly name: 'opened' | 'clicked' }
  readonly withinMs: number
}

/** A variant. `percent`: of the people who are not in the control group; the sum is 100. `id`: in a campaign, the id of its message. */
export type Variant = { readonly id: string; readonly name: string; readonly percent: number; readonly first: string }

/** A parsed version of a canvas or a campaign: what the engine runs. It never changes. */
export type Graph = {
  readonly segment: Condition | undefined
  readonly entry: {
    readonly by: ReadonlySet<'api' | 'schedule' | 'event'>
    readonly on: Trigger | undefined
    readonly schedule: Recurrence | undefined
    readonly again: ReentryRule
  }
  readonly exit: { readonly on: readonly Trigger[]; readonly condition: Condition | undefined }
  readonly conversions: readonly Conversion[]
  readonly controlPercent: number
  readonly variants: readonly Variant[]
  /** The subscription state that its messages require. */
  readonly wanted: 'opted_in' | 'subscribed' | 'all'
  readonly quietHours: 'hold' | 'skip' | 'ignore'
  readonly rate: { readonly count: number; readonly perMs: number } | undefined
  readonly steps: ReadonlyMap<string, Step>
}

/** A flow as its row has it. */
export type Flow = {
  readonly flow_id: number
  readonly workspace_id: number
  readonly kind: FlowKind
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly state: FlowState
  readonly class: 'marketing' | 'transactional'
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly first_entry_at: Date | null
  readonly last_entry_at: Date | null
  readonly first_sent_at: Date | null
  readonly last_sent_at: Date | null
}
