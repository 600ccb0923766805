import type { Condition } from '../flows/flow.ts'
import type { Reason } from '../ledger/reasons.ts'

/** Where an entry stands: columns of `entry` in 0027. */
export const entryStates = ['arriving', 'waiting', 'listening', 'sending', 'calling', 'ended'] as const
export type EntryState = (typeof entryStates)[number]

/**
 * How an entry ended: `completed` there was no next step; `exited` by an exit criterion or too many visits; `control_group` it never
 * began; otherwise a reason of the ledger because of which the person did not enter or had to leave.
 */
export type Ended =
  | 'completed'
  | Extract<
      Reason,
      | 'exited'
      | 'control_group'
      | 'already_entered'
      | 'not_in_segment'
      | 'not_in_audience'
      | 'canvas_paused'
      | 'cancelled'
      | 'merged'
      | 'local_time_passed'
      | 'missed'
    >

/** The part of an entry that moves; the rest of its row stays as it was made. */
export type Standing = {
  readonly state: EntryState
  readonly ended?: Ended
  readonly step: string
  /** How often the step was come to, this time included; 0 before the first step. */
  readonly visit: number
  /** The same of every step so far; a step may be called anything, so ask for own members only. */
  readonly visits: Readonly<Record<string, number>>
  /** Epoch milliseconds of business time; undefined where only something else moves it. */
  readonly dueMs: number | undefined
}

/** What a person has entered with and where they stand. */
export type Entry = Standing & {
  readonly bucket: number
  readonly profile_id: string
  readonly entry_id: string
  readonly workspace_id: number
  readonly flow_id: number
  readonly version: number
  readonly class: 'marketing' | 'transactional'
  readonly dispatch_id: string | null
  readonly held: boolean
  readonly variant: string | null
  readonly properties: Readonly<Record<string, unknown>> | null
  readonly event: Readonly<Record<string, unknown>> | null
  /** What happened earlier takes no path: of an entry that something began, the time of that when it is the earlier one. */
  readonly enteredMs: number
}

/** Something that happened to somebody and that was watched. */
export type Signal = {
  readonly kind: 'event' | 'purchase' | 'attribute' | 'engagement'
  readonly name: string
  /** When it happened, as it was told. */
  readonly timeMs: number
  /** When it was accepted: what it leads to is planned from then; where absent, from when it is acted upon. */
  readonly atMs?: number
  readonly properties: Readonly<Record<string, unknown>>
}

/** What moves an entry. */
export type Happening =
  /** Its time has come. */
  | { readonly kind: 'due' }
  /** The message of its step and visit has ended, however. */
  | { readonly kind: 'message_ended'; readonly step: string; readonly visit: number; readonly reason: Reason }
  /** Its webhook was called, or given up. */
  | { readonly kind: 'call_ended' }
  /** Not the one with which it began: entries that are there already are moved first. */
  | { readonly kind: 'signal'; readonly signal: Signal }
  /** Its flow was stopped. */
  | { readonly kind: 'stopped' }
  /** Its person is somebody now who is or was in the flow. */
  | { readonly kind: 'merged' }

/** A condition that the next move reads; `key` names the answer in `Facts`. */
export type Question = { readonly key: string; readonly condition: Condition }

/** The answers, by key. */
export type Facts = ReadonlyMap<string, boolean>

/** What is to be done with the person when an entry has moved. */
export type Effect =
  | { readonly kind: 'message'; readonly step: string; readonly visit: number }
  | { readonly kind: 'update_user'; readonly step: string; readonly visit: number }
  | { readonly kind: 'call'; readonly step: string; readonly visit: number }
  /** Whatever of it is not with a server yet must not go out any more. */
  | { readonly kind: 'cancel_messages'; readonly reason: Reason }

/** Why, for the ledger: an entry that ended otherwise than by itself. */
export type Told = { readonly reason: Reason; readonly rule: string; readonly inputs?: unknown }

/** `standing` is the entry itself when nothing has moved. */
export type Moved = { readonly standing: Standing; readonly effects: readonly Effect[]; readonly told?: Told }
