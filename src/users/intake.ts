import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { OutcomeUnknown } from '../base/db/db.ts'
import { Failure, unavailable } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { AttributeItem, EventItem, PurchaseItem } from './split.ts'

/** What one accepted request asks for, in the order in which it takes effect: attributes, events, purchases. */
export type TrackWork = {
  workspace_id: number
  attributes: readonly AttributeItem[]
  events: readonly EventItem[]
  purchases: readonly PurchaseItem[]
}

export type Flush = { flush_id: string; works: readonly TrackWork[] }

export type IntakeParts = {
  clock: Clock
  log: Log
  /** Applies every work of the flush and writes its id, in one transaction. */
  apply(flush: Flush): Promise<void>
  /** Whether a flush with this id has been committed. */
  happened(flush_id: string): Promise<boolean>
  /** A flush was split because the database refused it: our validation let something through. */
  onBisect(): void
}

export type Intake = {
  /** Resolves when the work is durable and visible; rejects when nothing of it is, or when its outcome stays unknown (503). */
  submit(work: TrackWork): Promise<void>
  /** Updates waiting for a flush. */
  waiting(): number
  /** Applies what was submitted, then ends. */
  close(): Promise<void>
}

const flushRequestsMax = 200
const flushUpdatesMax = 5_000
const waitingUpdatesMax = 50_000
const outcomeDeadlineMs = 10_000
const outcomePauseMs = 200

type Waiting = { work: TrackWork; size: number; done(): void; failed(error: unknown): void }

/**
 * The group commit: gathers requests while a flush is in flight and applies them together (one flush at a time, so that
 * concurrent requests take effect in some serial order).
 */
export function openIntake(parts: IntakeParts): Intake {
  const queue: Waiting[] = []
  let waiting = 0
  let running: Promise<void> | undefined
  let closed = false

  async function run(): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue)
      for (const entry of batch) waiting -= entry.size
      await settle(batch, parts)
    }
    running = undefined
  }

  return {
    submit(work) {
      const size = work.attributes.length + work.events.length + work.purchases.length
      if (size === 0) return Promise.resolve()
      if (closed) return Promise.reject(unavailable('The service is stopping'))
      if (waiting + size > waitingUpdatesMax) return Promise.reject(unavailable('The service is busy'))
      waiting += size
      return new Promise<void>((done, failed) => {
        queue.push({ work, size, done, failed })
        // A turn of the event loop lets requests that arrived together share a flush.
        running ??= new Promise<void>((started) => setImmediate(started)).then(run)
      })
    },
    waiting: () => waiting,
    async close() {
      closed = true
      await running
    },
  }
}

function takeBatch(queue: Waiting[]): Waiting[] {
  let updates = 0
  let taken = 0
  while (taken < queue.length && taken < flushRequestsMax) {
    updates += queue[taken]!.size
    if (taken > 0 && updates > flushUpdatesMax) break
    taken++
  }
  return queue.splice(0, taken)
}

/** Applies a batch and answers everybody in it. A batch that the database refuses is halved until the culprit stands alone. */
async function settle(batch: readonly Waiting[], parts: IntakeParts): Promise<void> {
  try {
    await applyOnce({ flush_id: randomUUID(), works: batch.map((entry) => entry.work) }, parts)
    // The next flush is begun before these are answered: the database need not wait for the answers to be written.
    setImmediate(() => {
      for (const entry of batch) entry.done()
    })
  } catch (error) {
    if (error instanceof Failure || batch.length === 1) {
      for (const entry of batch) entry.failed(error)
      return
    }
    parts.onBisect()
    parts.log.error(
      { err: error, requests: batch.length },
      'the database refused a flush; its requests are tried apart',
    )
    const half = batch.length >> 1
    await settle(batch.slice(0, half), parts)
    await settle(batch.slice(half), parts)
  }
}

/** Applies a flush exactly once also when the connection is lost during COMMIT: the flush's own id tells what happened. */
async function applyOnce(flush: Flush, parts: IntakeParts): Promise<void> {
  let unknownSinceMs: number | undefined
  for (;;) {
    try {
      if (unknownSinceMs !== undefined && (await parts.happened(flush.flush_id))) return
      await parts.apply(flush)
      return
    } catch (error) {
      const unknown = error instanceof OutcomeUnknown
      if (unknown) unknownSinceMs ??= parts.clock.elapsed()
      // While the database is away, a COMMIT that was sent to it stays in doubt.
      if (unknownSinceMs === undefined || !(unknown || error instanceof Failure)) throw error
      if (parts.clock.elapsed() - unknownSinceMs > outcomeDeadlineMs) {
        throw unavailable('The outcome of this request is not known', error)
      }
      await new Promise((resume) => setTimeout(resume, outcomePauseMs))
    }
  }
}
