import type { EntryPosition } from '../entries/entry.ts'
import type { Condition } from '../flows/flow.ts'
import type { Reason } from '../ledger/reasons.ts'

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

/**
 * What a worker moves an entry by. The end of a message and a merge of people write the rows of entries themselves
 * (`entries/message-end-store.ts`, `entries/merged-entries.ts`).
 */
export type Happening =
  /** Its time has come. */
  | { readonly kind: 'due' }
  /** Its webhook was called, or given up. */
  | { readonly kind: 'call_ended' }
  /** Not the one with which it began: entries that are there already are moved first. */
  | { readonly kind: 'signal'; readonly signal: Signal }
  /** Its flow was stopped. */
  | { readonly kind: 'stopped' }

/** A condition that the next move reads; `key` names the answer in `Facts`. */
export type ConditionQuestion = { readonly key: string; readonly condition: Condition }

/** The answers, by key. */
export type ConditionAnswers = ReadonlyMap<string, boolean>

/** What is to be done with the person when an entry has moved. */
export type Effect =
  | { readonly kind: 'message'; readonly step: string; readonly visit: number }
  | { readonly kind: 'update_user'; readonly step: string; readonly visit: number }
  | { readonly kind: 'call'; readonly step: string; readonly visit: number }
  /** Whatever of it is not with a server yet must not go out any more. */
  | { readonly kind: 'cancel_messages'; readonly reason: Reason }

/** Why, for the ledger: an entry that ended otherwise than by itself. */
export type EntryEndReason = { readonly reason: Reason; readonly rule: string; readonly inputs?: unknown }

/** `standing` is the entry itself when nothing has moved. */
export type EntryMove = {
  readonly position: EntryPosition
  readonly effects: readonly Effect[]
  readonly why?: EntryEndReason
}
