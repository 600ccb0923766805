import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '../base/clock.ts'
import type { Db } from '../base/db/db.ts'
import type { Loop } from '../base/work/loop.ts'
import { updateVirtualNow } from '../workspace/installation-store.ts'
import { findNextMessage, findNextSlot, hasDueMessages, hasDueSlots } from './due-store.ts'

export type DueParts = {
  db: Db
  expander: Loop
  /** Without it messages stay where they are, and nobody waits for them. */
  deliverer?: Loop | undefined
  /** The clock is about to be moved to an instant. */
  onLeave(untilMs: number): Promise<void>
}

/** Where a move of the clock has come to, and whether everything is done that was due by then. */
export type HowFar = { readonly reachedMs: number; readonly isDone: boolean }

/** What one move of the clock may take, by the time of the machine. */
export const workMsMax = 60_000
/** Mail may be under way; to look again at once would only be in its way. */
const pauseMs = 2

/**
 * Takes a virtual clock from one instant at which something falls due to the next, in order, and does what is due before it goes on:
 * slots, their messages, mail that is tried again. It comes to `untilMs`, or as far as `workMaxMs` allowed.
 */
export async function runDueUntil(
  parts: DueParts,
  clock: VirtualClock,
  untilMs: number,
  workMaxMs = workMsMax,
): Promise<HowFar> {
  const { db, onLeave } = parts
  const endMs = clock.elapsed() + workMaxMs
  while (await drain(parts, clock, endMs)) {
    const nextMs = Math.min((await nextDueMs(parts)) ?? untilMs, untilMs)
    if (nextMs > clock.now()) {
      await onLeave(nextMs)
      // Kept first: after a kill the clock does not stand before something that it has stamped.
      await updateVirtualNow(db, new Date(nextMs))
      clock.moveTo(nextMs)
    }
    if (nextMs === untilMs) return { reachedMs: untilMs, isDone: await drain(parts, clock, endMs) }
  }
  return { reachedMs: clock.now(), isDone: false }
}

/** When something falls due next; undefined when nothing will. Whole milliseconds, not before it. */
async function nextDueMs({ db, deliverer }: DueParts): Promise<number | undefined> {
  const found = [await findNextSlot(db), deliverer && (await findNextMessage(db))]
  const next = found.filter((us) => us !== undefined).map((us) => Math.ceil(us / 1000))
  return next.length > 0 ? Math.min(...next) : undefined
}

/** Waits until what is due now is done, and what comes of it; false when that takes too long. */
async function drain(parts: DueParts, clock: VirtualClock, endMs: number): Promise<boolean> {
  while (await isAnythingDue(parts, clock.now())) {
    if (clock.elapsed() >= endMs) return false
    await workUntil(parts, clock, endMs)
    await pause(pauseMs)
  }
  return true
}

/** A mail server may take minutes; its mail is under way whether anybody waits for it or not. */
async function workUntil(parts: DueParts, clock: VirtualClock, endMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, endMs - clock.elapsed())
  await Promise.race([work(parts), promise])
  clearTimeout(timer)
}

async function work({ expander, deliverer }: DueParts): Promise<void> {
  await expander.next()
  await deliverer?.next()
}

async function isAnythingDue({ db, deliverer }: DueParts, nowMs: number): Promise<boolean> {
  return (await hasDueSlots(db, nowMs)) || (deliverer !== undefined && (await hasDueMessages(db, nowMs)))
}
