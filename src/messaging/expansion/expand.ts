import { backendOf } from '../../base/db/backends.ts'
import { Failure, isUnavailable } from '../../base/errors.ts'
import { newHiddenId } from '../../base/ids.ts'
import { startInterval } from '../../base/interval.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { isLate, isOfLocalTime } from '../orders/schedule.ts'
import {
  type ClaimedSlot,
  type ClaimFirst,
  claimSlot,
  endSlot,
  expansionProbe,
  releaseAllSlots,
  releaseSlot,
  renewSlotLease,
} from '../orders/slot-store.ts'
import { findLocalDelayMax } from '../orders/zone-store.ts'
import { RecipientsNotFound } from './find-recipients.ts'
import { followOrderStates } from './follow-order-state.ts'
import { failSlot, openPages, type PageServices } from './pages.ts'
import { replanSlots } from './replan-slots.ts'
import { LeaseLost } from './write-page.ts'

export type ExpandServices = PageServices & { log: Log; wakeups: Wakeups; poller?: Polls }

/** How long after the last renewal another worker may claim a slot. */
const leaseMs = 5_000
const renewEveryMs = 1_000
const everyMs = 1_000
/** How long a worker works on one slot before it claims again. */
const turnMs = 250
/** Attempts without progress after which a slot is given up. Attempts in which the process was killed count too. */
export const expansionAttemptsMax = 5
const retryMs = 1_000
/** How long a slot that could not be given up waits. */
const giveUpAgainMs = 10 * 60_000

export const notExpanded = 'The recipients could not be found'

/** Opens the loop that turns due slots into messages or entries, and changes messages of orders that were paused, resumed or cancelled. */
export function openExpander(services: ExpandServices): Loop {
  const { db, log, clock, wakeups, poller } = services
  let isReleased = backendOf(db).isShared
  let isReplanned = false
  let turns = 0
  return openLoop(
    {
      name: 'orders.expand',
      everyMs,
      poller,
      probe: (aheadMs) => expansionProbe(clock.now() + aheadMs, clock.elapsed() + aheadMs),
      async turn(stopping) {
        if (!isReleased) await releaseAllSlots(db)
        isReleased = true
        // A new version of Node may have other time zone rules.
        if (!isReplanned) await replanSlots(services)
        isReplanned = true
        const moved = await followOrderStates(db, clock)
        // The order alternates, so that neither large slots nor many small ones wait for the others.
        const expanded = await expandNext(services, turns++ % 2 === 0 ? 'new' : 'begun', stopping)
        if (moved || expanded) wakeups.wake('delivery')
        return moved || expanded
      },
    },
    log,
  )
}

/** Works on one due slot for a while. Returns false when there is none. */
async function expandNext(services: ExpandServices, first: ClaimFirst, stopping: AbortSignal): Promise<boolean> {
  const { db, clock } = services
  if (stopping.aborted) return false
  const elapsedMs = clock.elapsed()
  const nowMs = clock.now()
  const claimed = await claimSlot(db, newHiddenId(), first, { nowMs, elapsedMs, untilMs: elapsedMs + leaseMs })
  if (!claimed) return false
  const localDelayMaxMs = isOfLocalTime(claimed) ? await findLocalDelayMax(db, claimed.workspace_id) : 0
  const reason = claimed.reason ?? (isLate(claimed, claimed, nowMs, localDelayMaxMs) ? 'missed' : null)
  // A slot that kills the process must not do so forever.
  if (claimed.attempts > 2 * expansionAttemptsMax) await endSlot(db, claimed, notExpanded)
  else if (claimed.attempts > expansionAttemptsMax) await giveUp(claimed, notExpanded, services)
  else await attempt({ ...claimed, reason }, services, stopping)
  return true
}

async function attempt(claimed: ClaimedSlot, services: ExpandServices, stopping: AbortSignal): Promise<void> {
  const { db, clock } = services
  const untilMs = clock.elapsed() + turnMs
  const stopRenewing = startInterval(() => renewLease(claimed, services), renewEveryMs)
  try {
    const pages = await openPages(claimed, services)
    while (await pages.next()) {
      if (!stopping.aborted && clock.elapsed() < untilMs) continue
      return await releaseSlot(db, claimed, 0, null)
    }
  } catch (error) {
    // The failure is recorded in the row of the slot.
    await handleFailure(claimed, error, services)
  } finally {
    stopRenewing()
  }
}

async function renewLease(claimed: ClaimedSlot, { db, clock }: ExpandServices): Promise<void> {
  try {
    await renewSlotLease(db, claimed, clock.elapsed() + leaseMs)
  } catch {
    // The next page fails when the lease is lost.
  }
}

/** Gives a slot back or gives it up after a failed attempt. */
async function handleFailure(claimed: ClaimedSlot, error: unknown, services: ExpandServices): Promise<void> {
  const { db, clock, log } = services
  const { dispatch_id, zone, attempts } = claimed
  if (error instanceof LeaseLost) return
  if (isUnavailable(error)) {
    try {
      // The attempt does not count.
      await releaseSlot(db, claimed, attempts - 1, null)
    } catch {
      // The database is unavailable: the lease will expire.
    }
    throw error
  }
  // A stored condition that this version cannot read throws a `Failure` too.
  if (error instanceof RecipientsNotFound || error instanceof Failure) {
    return giveUp(claimed, error.message, services)
  }
  log.error({ err: error, dispatch_id, zone, attempts }, 'the recipients of an order could not be found')
  if (attempts >= expansionAttemptsMax) return giveUp(claimed, notExpanded, services)
  await releaseSlot(db, claimed, attempts, clock.elapsed() + retryMs * 2 ** attempts)
}

/** Ends a slot with a failure. If that fails too, the slot is tried again much later. */
async function giveUp(claimed: ClaimedSlot, failure: string, services: ExpandServices): Promise<void> {
  const { db, clock, log } = services
  const { dispatch_id, zone, attempts } = claimed
  try {
    await failSlot(claimed, failure, services)
  } catch (error) {
    // A slot that cannot even be ended must not stop the others.
    if (error instanceof LeaseLost) return
    if (isUnavailable(error)) throw error
    log.error({ err: error, dispatch_id, zone, attempts }, 'a slot could not be given up')
    await releaseSlot(db, claimed, Math.min(attempts, expansionAttemptsMax), clock.elapsed() + giveUpAgainMs)
  }
}
