import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import type { Log } from '../../base/log.ts'
import { findFeed } from '../feed/number-store.ts'
import { findPage } from '../feed/read-feed.ts'
import { afterFailure, setAsideAfterMs } from './after-failure.ts'
import { deliverPage, type PageResult, reachedAfter } from './deliver-page.ts'
import {
  type DeliveryProgress,
  insertAttempts,
  type LeasedWebhook,
  releaseWebhook,
  renewLease,
  writeProgress,
} from './delivery-store.ts'
import { attemptsKept } from './schema.ts'
import type { SendServices } from './send-event.ts'

export type DeliverServices = SendServices & {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  formatServiceId(profile_id: string): string
  /** Called for each request that ended, and when a webhook is set aside. */
  onAttempt?(outcome: 'delivered' | 'failed'): void
}

/** How long a worker has a webhook before another one may take it. It is renewed when half of it is over. */
export const leaseMs = 60_000
/** The most events of a page. */
export const pageEventsMax = 64
/** After so long a worker lets other webhooks have their turn. */
const sliceMs = 20_000

/** Sends what waits for a leased webhook, page by page, until nothing waits, a request fails or its turn is over. */
export async function deliver(leased: LeasedWebhook, services: DeliverServices, stopping: AbortSignal): Promise<void> {
  const { clock } = services
  const endMs = clock.elapsed() + sliceMs
  let webhook: LeasedWebhook | undefined = leased
  while (webhook) webhook = await deliverNext(webhook, services, stopping, endMs)
}

/** Sends one page. Returns the webhook for the next one; undefined when the worker has given it back. */
async function deliverNext(
  webhook: LeasedWebhook,
  services: DeliverServices,
  stopping: AbortSignal,
  endMs: number,
): Promise<LeasedWebhook | undefined> {
  const { db, clock } = services
  const { workspace_id, event_types } = webhook
  const lostPosition = BigInt((await findFeed(db, workspace_id))?.lost_position ?? 0)
  const lost = lostPosition > webhook.position ? lostPosition - webhook.position : 0n
  const from: LeasedWebhook = { ...webhook, position: webhook.position + lost }
  const page = await findPage(db, workspace_id, from.position, event_types, pageEventsMax)
  const mayGoOn = leaseKeeper(db, webhook, clock)
  const result = await deliverPage(from, page.rows, { ...services, mayGoOn }, stopping)
  const reached = reachedAfter(from, page.rows, result.delivered, page.next)
  const goesOn =
    page.rows.length > 0 && !result.failed && !result.stopped && clock.elapsed() < endMs && !stopping.aborted
  const progress: DeliveryProgress = {
    ...reached,
    ...conditionAfter(from, result, services),
    lost,
    leasedUntilMs: goesOn ? clock.elapsed() + leaseMs : undefined,
  }
  for (const { error } of result.attempts) services.onAttempt?.(error === null ? 'delivered' : 'failed')
  report(webhook, result, progress, services)
  const isStored = await db.transaction(
    async (tx) => {
      // What was sent is visible even when another worker has the webhook by now.
      await insertAttempts(tx, webhook, result.attempts, attemptsKept)
      return writeProgress(tx, webhook, progress)
    },
    { settings: shortLockTimeout },
  )
  if (!isStored) await releaseWebhook(db, webhook)
  if (!isStored || !goesOn) return undefined
  const { position, ahead, failures, failingSinceMs } = progress
  return { ...webhook, position, ahead, failures, failingSinceMs }
}

type Condition = Pick<DeliveryProgress, 'failures' | 'failingSinceMs' | 'dueMs' | 'deliveredMs' | 'setAside'>

/** Returns in which condition a webhook is after a page. A success ends a series of failures, unless a failure follows. */
function conditionAfter(
  { failures, failingSinceMs }: LeasedWebhook,
  { delivered, failed, attempts }: PageResult,
  { clock }: DeliverServices,
): Condition {
  const nowMs = clock.elapsed()
  const isDelivered = delivered.size > 0
  const before = isDelivered ? { failures: 0, failingSinceMs: undefined } : { failures, failingSinceMs }
  const deliveredMs = isDelivered ? attempts.findLast(({ error }) => error === null)!.atMs : undefined
  if (!failed) return { ...before, dueMs: nowMs, deliveredMs }
  const { setsAside, ...after } = afterFailure(before, nowMs, failed.retryAfterMs)
  const because =
    failed.outcome === 'gone'
      ? 'The receiver answered 410: it wants no more events'
      : `Every attempt has failed for ${setAsideAfterMs / 86_400_000} days, the last one because: ${failed.attempt.error}`
  const isSetAside = setsAside || failed.outcome === 'gone'
  return { ...after, deliveredMs, ...(isSetAside && { setAside: { atMs: nowMs, because } }) }
}

function report(
  { workspace_id, id: webhook_id, name }: LeasedWebhook,
  { failed }: PageResult,
  { failures, lost, setAside }: DeliveryProgress,
  { log }: DeliverServices,
): void {
  const fields = { workspace_id, webhook_id, webhook: name }
  if (lost > 0n) {
    log.warn({ ...fields, lost: Number(lost) }, 'events for a webhook were too old to be kept, and were not sent')
  }
  if (failed) {
    const { event_id, error } = failed.attempt
    log.info({ ...fields, event_id, failures, reason: error }, 'an event could not be sent to a webhook')
  }
  if (setAside) log.warn({ ...fields, because: setAside.because }, 'a webhook is set aside until it is resumed')
}

/** Returns a function that renews the lease when half of it is over. Requests that ask at the same time share one answer. */
function leaseKeeper(db: Db, webhook: LeasedWebhook, clock: Clock): () => Promise<boolean> {
  let renewedMs = Number.NEGATIVE_INFINITY
  let asking: Promise<boolean> | undefined
  async function renew(): Promise<boolean> {
    const nowMs = clock.elapsed()
    const isRenewed = await renewLease(db, webhook, nowMs + leaseMs)
    if (isRenewed) renewedMs = nowMs
    asking = undefined
    return isRenewed
  }
  return async () => {
    if (clock.elapsed() < renewedMs + leaseMs / 2) return true
    asking ??= renew()
    return asking
  }
}
