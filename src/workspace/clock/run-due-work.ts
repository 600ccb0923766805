import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { ensureWeeks, weekStart } from '../../base/db/weeks.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { updateVirtualNow } from '../settings/installation-store.ts'

export type DueWorkServices = {
  readonly db: Db
  /** The work in this order: work of one may cause work of the next. */
  readonly works: readonly DueWork[]
  /** Called before the clock is moved to an instant. */
  onLeave(untilMs: number): Promise<void>
}

/** The instant that a move of the clock has reached, and whether all work that is due by then is done. */
export type ClockMoved = { readonly reachedMs: number; readonly isDone: boolean }

/** The most machine time that one move of the clock may take. */
export const workMsMax = 60_000

/**
 * Moves a virtual clock from one instant with due work to the next, and does that work before it continues. Stops at `untilMs`, or at the
 * instant that was reached within `workMaxMs`.
 */
export async function runDueWork(
  services: DueWorkServices,
  clock: VirtualClock,
  untilMs: number,
  workMaxMs = workMsMax,
): Promise<ClockMoved> {
  const endMs = clock.elapsed() + workMaxMs
  for (;;) {
    const rest = await drain(services, clock, endMs)
    if (rest === undefined || clock.now() === untilMs) return { reachedMs: clock.now(), isDone: rest !== undefined }
    const nextMs = Math.min(rest.nextMs, untilMs)
    await services.onLeave(nextMs)
    if (weekStart(nextMs) !== weekStart(clock.now())) await ensureWeeks(services.db, nextMs)
    // The instant is stored before the clock moves, so that after a kill the clock is never before a stored timestamp.
    await updateVirtualNow(services.db, new Date(nextMs))
    clock.moveTo(nextMs)
  }
}

/** Loops that have work now, the pause that they ask for, and when something falls due next: infinity for never. */
type Due = { readonly loops: readonly Loop[]; readonly pauseMs: number; readonly nextMs: number }

/** Does the work that is due now, and the work that it causes. Returns the remaining work, or undefined when that takes too long. */
async function drain(services: DueWorkServices, clock: VirtualClock, endMs: number): Promise<Due | undefined> {
  for (;;) {
    const due = await findDue(services, clock.now())
    if (due.loops.length === 0) return due
    if (clock.elapsed() >= endMs) return undefined
    await runUntil(due.loops, clock, endMs)
    if (due.pauseMs > 0) await pause(due.pauseMs)
  }
}

/**
 * Looks at all work in one snapshot. Loops also take turns by themselves, and a turn turns work of one loop into work of another: with
 * one snapshot for each, the look could miss both.
 */
async function findDue({ db, works }: DueWorkServices, nowMs: number): Promise<Due> {
  const look = async (tx: Tx): Promise<Due> => {
    const loops: Loop[] = []
    let pauseMs = 0
    for (const work of works) {
      const due = await work.listDue(tx, nowMs)
      loops.push(...due)
      if (due.length > 0) pauseMs = Math.max(pauseMs, work.pauseMs ?? 0)
    }
    return { loops, pauseMs, nextMs: loops.length > 0 ? nowMs : await findNextDue(tx, works) }
  }
  return db.transaction(look, { settings: readOnlySnapshot })
}

async function findNextDue(tx: Tx, works: readonly DueWork[]): Promise<number> {
  const dues: number[] = []
  for (const work of works) dues.push((await work.nextDueMs(tx)) ?? Number.POSITIVE_INFINITY)
  return Math.min(...dues)
}

/** Lets every loop take a turn. Stops waiting after `endMs`, because a turn may wait for a mail server for minutes. */
async function runUntil(loops: readonly Loop[], clock: VirtualClock, endMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, endMs - clock.elapsed())
  await Promise.race([takeTurns(loops), promise])
  clearTimeout(timer)
}

async function takeTurns(loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) await loop.nextTurn()
}
