import type { NumberComparison, Presence } from '../../audience/conditions/tree.ts'
import type { Json } from '../../people/values/values.ts'
import type { EmailObject } from '../mail/email-object.ts'

export const flowKinds = ['canvas', 'campaign'] as const
export type FlowKind = (typeof flowKinds)[number]

/** `archived`: it was stopped; whoever stood in it has left it. */
export const flowStates = ['draft', 'active', 'paused', 'archived'] as const
export type FlowState = (typeof flowStates)[number]

/** Who is meant: a stored segment, or a tree as it was given, with all leaves of a segment. */
export type Condition = { readonly segment_id: string } | { readonly audience: unknown }

/** What a property of an event must say. */
export type PropertyTest = {
  readonly property: string
  readonly comparison: NumberComparison | Presence['comparison']
  readonly value?: string | number | boolean
}

/** Something that happens: an event or a purchase. `name` undefined: any purchase. */
export type Trigger = {
  readonly kind: 'event' | 'purchase'
  readonly name: string | undefined
  readonly tests: readonly PropertyTest[]
  /** Properties that must be the same as those of the event with which the entry began. */
  readonly same: readonly string[]
}

/** A choice among steps; without `next` the canvas ends there. */
export type Path = { readonly name: string; readonly next: string | undefined }

type StepHead = { readonly id: string; readonly name: string }

export type MessageStep = StepHead & {
  readonly type: 'message'
  readonly channel: 'email'
  readonly email: EmailObject
  readonly next: string | undefined
}
export type DelayStep = StepHead & {
  readonly type: 'delay'
  /** Elapsed time, or the next time the person's clock shows `until` (`HH:MM`), on one of the weekdays (1 Monday to 7) if there are any. */
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
  /** As `/users/track` takes them; no identifiers, `email` or `phone`. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly next: string | undefined
}
export type WebhookStep = StepHead & {
  readonly type: 'webhook'
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  /** Text as it goes out; anything else goes as JSON, and each text in it has its own Liquid. */
  readonly body: Json | undefined
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

/** How often somebody may enter. */
export type ReentryRule = 'never' | 'always' | { readonly afterMs: number }

/** When whoever is in the segment enters: at a time of day, on some days of the week or one date, where each lives or in one zone. */
export type Recurrence = {
  readonly at: string
  /** 1 Monday to 7; empty: every day. */
  readonly days: readonly number[]
  /** `local`, or the name of a time zone. */
  readonly zone: string
  /** ISO dates, both included. */
  readonly from: string | undefined
  readonly until: string | undefined
}

export type Conversion = {
  /** `Primary Conversion Event - A`, ... */
  readonly name: string
  readonly on: Trigger | { readonly kind: 'engagement'; readonly name: 'opened' | 'clicked' }
  readonly withinMs: number
}

/** `percent` of those who are not in the control group; all together 100. `id` is that of a message for a campaign. */
export type Variant = { readonly id: string; readonly name: string; readonly percent: number; readonly first: string }

/** A version of a canvas or a campaign, read: what the engine runs. It never changes. */
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
  /** Whom of those who stand at a message it reaches. */
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
