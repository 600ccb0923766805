import { setTimeout as pause } from 'node:timers/promises'
import type { VirtualClock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Loop } from '../../base/work/loop.ts'
import { updateVirtualNow } from '../../workspace/settings/installation-store.ts'
import { findNextMessage, findNextSlot, listDueKinds } from './due-store.ts'

/** Others whose work falls due by business time. */
export type Falling = {
  /** When something of theirs falls due next, epoch milliseconds, not before it; undefined when nothing will. */
  nextMs(): Promise<number | undefined>
  /** The loops that have something to do at an instant, or are at it. */
  due(nowMs: number): Promise<readonly Loop[]>
}

export type DueParts = {
  db: Db
  expander: Loop
  /** Without it messages stay where they are, and nobody waits for them. */
  deliverer?: Loop | undefined
  falling?: Falling | undefined
  /** The clock is about to be moved to an instant. */
  onLeave(untilMs: number): Promise<void>
}

/** Where a move of the clock has come to, and whether everything is done that was due by then. */
export type HowFar = { readonly reachedMs: number; readonly isDone: boolean }

/** What one move of the clock may take, by the time of the machine. */
export const workMsMax = 60_000
const pauseMs = 2

/**
 * Takes a virtual clock from one instant at which something falls due to the next, in order, and does what is due before it goes on:
 * what happened, entries, slots, their messages, mail that is tried again. It comes to `untilMs`, or as far as `workMaxMs` allowed.
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
async function nextDueMs({ db, deliverer, falling }: DueParts): Promise<number | undefined> {
  const found = [await findNextSlot(db), deliverer && (await findNextMessage(db))]
  const next = [...found.map((us) => us && Math.ceil(us / 1000)), await falling?.nextMs()]
  const known = next.filter((ms) => ms !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

/** Waits until what is due now is done, and what comes of it; false when that takes too long. */
async function drain(parts: DueParts, clock: VirtualClock, endMs: number): Promise<boolean> {
  for (;;) {
    const due = await listDue(parts, clock.now())
    if (due.length === 0) return true
    if (clock.elapsed() >= endMs) return false
    await workUntil(due, clock, endMs)
    // Mail may be under way; to look again at once would only be in its way.
    if (due.at(-1) === parts.deliverer) await pause(pauseMs)
  }
}

/** A mail server may take minutes; its mail is under way whether anybody waits for it or not. */
async function workUntil(due: readonly Loop[], clock: VirtualClock, endMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, endMs - clock.elapsed())
  await Promise.race([work(due), promise])
  clearTimeout(timer)
}

async function work(due: readonly Loop[]): Promise<void> {
  for (const loop of due) await loop.nextTurn()
}

/** The loops that have something to do, in the order in which one leads to the next. */
async function listDue({ db, expander, deliverer, falling }: DueParts, nowMs: number): Promise<Loop[]> {
  const others = (await falling?.due(nowMs)) ?? []
  const own = await listDueKinds(db, nowMs)
  const delivers = deliverer !== undefined && own.has('messages')
  return [...others, ...(own.has('slots') ? [expander] : []), ...(delivers ? [deliverer] : [])]
}
