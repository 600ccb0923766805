import type { EntryPosition } from '../entries/entry.ts'
import type { TakenPath } from '../entries/trail.ts'
import type { Condition } from '../flows/flow.ts'
import type { Reason } from '../ledger/reasons.ts'

/** An event, purchase, attribute change or engagement that a flow listens for. */
export type Signal = {
  readonly kind: 'event' | 'purchase' | 'attribute' | 'engagement'
  readonly name: string
  /** When it happened, according to its sender. */
  readonly timeMs: number
  /** When it was accepted. The next step is planned from this time, or when it is absent from the time of the move. */
  readonly atMs?: number
  readonly properties: Readonly<Record<string, unknown>>
}

/**
 * What moves an entry in a worker. The end of a message and a merge of people write the rows of entries themselves:
 * `entries/release-store.ts`, `entries/merged-entries.ts`.
 */
export type Happening =
  /** The entry is due. */
  | { readonly kind: 'due' }
  /** A signal of the person, never the one that began the entry: existing entries are moved before people enter. */
  | { readonly kind: 'signal'; readonly signal: Signal }
  /** The flow was stopped. */
  | { readonly kind: 'stopped' }

/** A condition that the next move reads. `key` names the answer. */
export type ConditionQuestion = { readonly key: string; readonly condition: Condition }

/** Answers to questions, by key. */
export type ConditionAnswers = ReadonlyMap<string, boolean>

/** What a move asks for. */
export type Effect =
  | { readonly kind: 'message'; readonly step: string; readonly visit: number }
  | { readonly kind: 'update_user'; readonly step: string; readonly visit: number }
  /** Messages of the entry that were not handed over yet must not be sent. */
  | { readonly kind: 'cancel_messages'; readonly reason: Reason }

/** Why an entry ended early, for the ledger. */
export type EntryEndReason = { readonly reason: Reason; readonly rule: string; readonly inputs?: unknown }

/** The result of a happening. `position` is the entry itself when it did not move. */
export type EntryMove = {
  readonly position: EntryPosition
  /** How the entry left its step, where the step has several ways out. */
  readonly path?: TakenPath
  readonly effects: readonly Effect[]
  readonly why?: EntryEndReason
}
