import type { Tx } from '../db/db.ts'
import type { Loop } from './loop.ts'

/** What is due, in words: with the names of the things it is about, and for readers who may not know them. */
export type DueWords = { readonly named: string; readonly plain: string }

/** Work of some loops that becomes due by business time. A virtual clock moves from one instant with due work to the next. */
export type DueWork = {
  /** Returns when work becomes due next, in epoch milliseconds, rounded up; undefined when there is none. */
  nextDueMs(tx: Tx): Promise<number | undefined>
  /** Says what is due at an instant or before, the first of it by name. Undefined when nothing is. */
  describeDue(tx: Tx, dueMs: number): Promise<DueWords | undefined>
  /** Returns the loops that have work at an instant or are in the middle of it, in the order in which one makes work for the next. */
  listDue(tx: Tx, nowMs: number): Promise<readonly Loop[]>
  /** Milliseconds to wait before the work is looked at again, where a turn of the loop does not wait for its end. */
  readonly pauseMs?: number
}

/** Returns the earliest of the times, of which each shard tells its own, as epoch microseconds. */
export function firstDue(rows: readonly { readonly due_us: string | null }[]): number | undefined {
  const times = rows.flatMap(({ due_us }) => (due_us ? [Number(due_us)] : []))
  return times.length === 0 ? undefined : Math.min(...times)
}
