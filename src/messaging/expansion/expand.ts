import { backendOf } from '../../base/db/backends.ts'
import { Failure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { isLate } from '../orders/schedule.ts'
import {
  type ClaimedSlot,
  type ClaimFirst,
  claimSlot,
  endSlot,
  holdSlot,
  releaseSlot,
  releaseSlots,
} from '../orders/slot-store.ts'
import { RecipientsNotFound } from './find-recipients.ts'
import { followOrderStates } from './follow-order-state.ts'
import { failSlot, openPages, type PageServices } from './pages.ts'
import { replanSlots } from './replan-slots.ts'
import { LeaseLost } from './write-page.ts'

export type ExpandServices = PageServices & { log: Log; wakeups: Wakeups }

/** A slot whose worker has not been heard of for so long is somebody else's. */
const leaseMs = 5_000
const holdEveryMs = 1_000
const lookEveryMs = 1_000
/** One slot is worked on for so long; then others have their turn, the same one among them. */
const turnMs = 250
/** Times that a slot is tried without coming any further, kills included. */
export const attemptsMax = 5
const retryMs = 1_000
/** A slot that is given up and cannot be ended is tried again so often. */
const giveUpAgainMs = 10 * 60_000

export const notExpanded = 'The people it was meant for could not be found'

/** Turns due slots into messages, a few pages of one at a time, and lets messages follow a dispatch that was paused or cancelled. */
export function openExpander(parts: ExpandServices): Loop {
  const { db, log, clock, wakeups } = parts
  let freed = backendOf(db).isShared
  let planned = false
  let turns = 0
  return openLoop(
    {
      name: 'dispatch.expand',
      everyMs: lookEveryMs,
      async turn(leaving) {
        if (!freed) await releaseSlots(db)
        freed = true
        // This process may have come with other rules of time zones than the last one.
        if (!planned) await replanSlots(parts)
        planned = true
        const settled = await followOrderStates(db, clock)
        // A long one must not starve for many small ones, nor they for it.
        const expanded = await expandNext(parts, turns++ % 2 === 0 ? 'new' : 'begun', leaving)
        if (settled || expanded) wakeups.wake('delivery')
        return settled || expanded
      },
    },
    log,
  )
}

/** Works on one due slot for a while; false when there is none. */
async function expandNext(parts: ExpandServices, turn: ClaimFirst, leaving: AbortSignal): Promise<boolean> {
  const { db, clock } = parts
  if (leaving.aborted) return false
  const elapsedMs = clock.elapsed()
  const nowMs = clock.now()
  const claimed = await claimSlot(db, newUuid(), turn, { nowMs, elapsedMs, untilMs: elapsedMs + leaseMs })
  if (!claimed) return false
  const reason = claimed.reason ?? (isLate(claimed, claimed, nowMs) ? 'missed' : null)
  // A process that dies of a slot must not die of it for ever.
  if (claimed.attempts > 2 * attemptsMax) await endSlot(db, claimed, notExpanded)
  else if (claimed.attempts > attemptsMax) await giveUp(claimed, notExpanded, parts)
  else await attempt({ ...claimed, reason }, parts, leaving)
  return true
}

async function attempt(claimed: ClaimedSlot, parts: ExpandServices, leaving: AbortSignal): Promise<void> {
  const { db, clock } = parts
  const untilMs = clock.elapsed() + turnMs
  const holding = setInterval(() => void hold(claimed, parts), holdEveryMs)
  try {
    const pages = await openPages(claimed, parts)
    while (await pages.next()) {
      if (!leaving.aborted && clock.elapsed() < untilMs) continue
      return await releaseSlot(db, claimed, 0, null)
    }
  } catch (error) {
    // The failure is recorded in the row of the slot.
    await settle(claimed, error, parts)
  } finally {
    clearInterval(holding)
  }
}

/** Whoever has lost the slot finds out with the next page, which is not written then. */
async function hold(claimed: ClaimedSlot, { db, clock }: ExpandServices): Promise<void> {
  await Promise.allSettled([holdSlot(db, claimed, clock.elapsed() + leaseMs)])
}

/** What becomes of a slot whose attempt has failed. */
async function settle(claimed: ClaimedSlot, error: unknown, parts: ExpandServices): Promise<void> {
  const { db, clock, log } = parts
  const { dispatch_id, zone, attempts } = claimed
  if (error instanceof LeaseLost) return
  if (error instanceof Failure && error.kind === 'unavailable') {
    // An attempt that does not count. When the database is away as well, the lease ends by itself.
    await Promise.allSettled([releaseSlot(db, claimed, attempts - 1, null)])
    throw error
  }
  // What was accepted once and cannot be read any more is a Failure too.
  if (error instanceof RecipientsNotFound || error instanceof Failure) {
    return giveUp(claimed, error.message, parts)
  }
  log.error({ err: error, dispatch_id, zone, attempts }, 'the people of a dispatch could not be found')
  if (attempts >= attemptsMax) return giveUp(claimed, notExpanded, parts)
  await releaseSlot(db, claimed, attempts, clock.elapsed() + retryMs * 2 ** attempts)
}

/** Ends a slot of which nothing comes. While not even that can be written it is tried again, slowly. */
async function giveUp(claimed: ClaimedSlot, failure: string, parts: ExpandServices): Promise<void> {
  const { db, clock, log } = parts
  const { dispatch_id, zone, attempts } = claimed
  const [ended] = await Promise.allSettled([failSlot(claimed, failure, parts)])
  if (ended.status === 'fulfilled' || ended.reason instanceof LeaseLost) return
  if (ended.reason instanceof Failure && ended.reason.kind === 'unavailable') throw ended.reason
  log.error({ err: ended.reason, dispatch_id, zone, attempts }, 'a dispatch could not be given up')
  await releaseSlot(db, claimed, Math.min(attempts, attemptsMax), clock.elapsed() + giveUpAgainMs)
}
