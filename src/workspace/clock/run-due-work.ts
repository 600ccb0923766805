import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { updateVirtualNow } from '../settings/installation-store.ts'

export type DueWorkServices = {
  readonly db: Db
  /** In this order: work of one may cause work of the next. */
  readonly works: readonly DueWork[]
  /** Called before the clock is moved to an instant. */
  onLeave(untilMs: number): Promise<void>
}

/** The instant that a move of the clock has reached, and whether all work that is due by then is done. */
export type ClockMoved = { readonly reachedMs: number; readonly isDone: boolean }

/** Machine time that one move of the clock may take. */
export const workMsMax = 60_000

/**
 * Moves a virtual clock from one instant at which work is due to the next, and does that work before it goes on. Stops at `untilMs`, or at
 * the instant that was reached within `workMaxMs`.
 */
export async function runDueWork(
  services: DueWorkServices,
  clock: VirtualClock,
  untilMs: number,
  workMaxMs = workMsMax,
): Promise<ClockMoved> {
  const { db, works, onLeave } = services
  const endMs = clock.elapsed() + workMaxMs
  while (await drain(works, clock, endMs)) {
    const nextMs = Math.min((await findNextDue(works)) ?? untilMs, untilMs)
    if (nextMs > clock.now()) {
      await onLeave(nextMs)
      // Stored before the clock moves: after a kill the clock is never before a stored timestamp.
      await updateVirtualNow(db, new Date(nextMs))
      clock.moveTo(nextMs)
    }
    if (nextMs === untilMs) return { reachedMs: untilMs, isDone: await drain(works, clock, endMs) }
  }
  return { reachedMs: clock.now(), isDone: false }
}

async function findNextDue(works: readonly DueWork[]): Promise<number | undefined> {
  const dues: number[] = []
  for (const work of works) dues.push((await work.nextDueMs()) ?? Number.POSITIVE_INFINITY)
  const nextMs = Math.min(...dues)
  return Number.isFinite(nextMs) ? nextMs : undefined
}

/** Does the work that is due now, and the work that it causes. Returns false when that takes too long. */
async function drain(works: readonly DueWork[], clock: VirtualClock, endMs: number): Promise<boolean> {
  for (;;) {
    const loops: Loop[] = []
    let pauseMs = 0
    for (const work of works) {
      const due = await work.listDue(clock.now())
      loops.push(...due)
      if (due.length > 0) pauseMs = Math.max(pauseMs, work.pauseMs ?? 0)
    }
    if (loops.length === 0) return true
    if (clock.elapsed() >= endMs) return false
    await runUntil(loops, clock, endMs)
    if (pauseMs > 0) await pause(pauseMs)
  }
}

/** Lets every loop take a turn. After `endMs` it stops waiting: a turn may wait for a mail server for minutes and then ends by itself. */
async function runUntil(loops: readonly Loop[], clock: VirtualClock, endMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, endMs - clock.elapsed())
  await Promise.race([takeTurns(loops), promise])
  clearTimeout(timer)
}

async function takeTurns(loops: readonly Loop[]): Promise<void> {
  for (const loop of loops) await loop.nextTurn()
}
