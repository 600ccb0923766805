import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { OutcomeUnknown } from '../../base/db/db.ts'
import { Failure, unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { AlreadyApplied } from './flush-store.ts'
import type { PreparedRequest } from './prepare.ts'

/** `naming`: whom the works name, where that was asked early. */
export type Flush<Naming> = { flush_id: string; works: readonly PreparedRequest[]; naming?: Naming | undefined }

/** What a flush tells of itself while it is applied. */
export type FlushProgress = {
  /** The database has nearly all it needs, and this process is free for other work. */
  sent(): void
  /** Everything is written, and COMMIT follows. */
  written(): void
}

export type IntakeServices<Naming> = {
  clock: Clock
  log: Log
  /** Whom works name, without I/O: asked while the database commits those before them. */
  lookUp(works: readonly PreparedRequest[]): Naming
  /**
   * Applies every work of the flush and writes its id, in one transaction. Fails with `AppliedBefore` when all of it has happened
   * already.
   */
  apply(flush: Flush<Naming>, course: FlushProgress): Promise<void>
  /** Whether a flush with this id has been committed. */
  isCommitted(flush_id: string): Promise<boolean>
  /** A flush was split because the database refused it: our validation let something through. */
  onBisect(): void
}

export type Intake = {
  /** Resolves when the work is durable and visible; rejects when nothing of it is, or when its outcome stays unknown (503). */
  submit(work: PreparedRequest): Promise<void>
  /** Updates waiting for a flush. */
  waiting(): number
  /** Applies what was submitted, then ends. */
  close(): Promise<void>
}

const flushRequestsMax = 200
/** Not everything that waits: with many clients one half is read and checked while the other half is written. */
const flushUpdatesMax = 1600
const waitingUpdatesMax = 50_000
const answerDelayMaxMs = 20
const outcomeDeadlineMs = 10_000
const outcomePauseMs = 200

type QueuedRequest = { work: PreparedRequest; size: number; done(): void; failed(error: unknown): void }

/**
 * The group commit: gathers requests while a flush is in flight and applies them together (one flush at a time, so that
 * concurrent requests take effect in some serial order).
 */
export function openIntake<Naming>(parts: IntakeServices<Naming>): Intake {
  const queue: QueuedRequest[] = []
  let waiting = 0
  let running: Promise<void> | undefined
  let closed = false

  function take(): QueuedRequest[] {
    const entries = takeBatch(queue)
    for (const entry of entries) waiting -= entry.size
    return entries
  }

  async function run(): Promise<void> {
    // Those a flush has served are answered once the next one is with the database: its statements come before new requests.
    let answer = answerNobody
    let next: Batch<Naming> | undefined
    while (next || queue.length > 0) {
      const batch = next ?? { entries: take() }
      next = undefined
      const sent = once(answer)
      const patience = setTimeout(sent, answerDelayMaxMs)
      let committing = true
      const takeNext = () => {
        if (committing && queue.length > 0) next ??= lookUpEarly(take(), parts)
      }
      // COMMIT goes first.
      answer = await applyBatch(batch, parts, { sent, written: () => void setImmediate(takeNext) })
      committing = false
      clearTimeout(patience)
      sent()
    }
    running = undefined
    answer()
  }

  return {
    submit(work) {
      const size = work.attributes.length + work.events.length + work.purchases.length + work.addresses.length
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

function takeBatch(queue: QueuedRequest[]): QueuedRequest[] {
  let updates = 0
  let taken = 0
  while (taken < queue.length && taken < flushRequestsMax) {
    updates += queue[taken]!.size
    if (taken > 0 && updates > flushUpdatesMax) break
    taken++
  }
  return queue.splice(0, taken)
}

type Batch<Naming> = { entries: readonly QueuedRequest[]; naming?: Naming }

/** Should that fail, it is tried once more when the batch is applied, and answered. */
function lookUpEarly<Naming>(entries: readonly QueuedRequest[], { lookUp }: IntakeServices<Naming>): Batch<Naming> {
  try {
    return { entries, naming: lookUp(requestsOf(entries)) }
  } catch {
    // The names are read again when the batch is applied.
    return { entries }
  }
}

function requestsOf(entries: readonly QueuedRequest[]): PreparedRequest[] {
  return entries.map((entry) => entry.work)
}

type Answer = () => void

const answerNobody: Answer = () => {}

function once(answer: Answer): Answer {
  let given = false
  return () => {
    if (!given) answer()
    given = true
  }
}

/**
 * Applies a batch and returns how those in it are answered; who has failed is answered at once. A batch that the database refuses
 * is halved until the culprit stands alone.
 */
async function applyBatch<Naming>(
  { entries, naming }: Batch<Naming>,
  parts: IntakeServices<Naming>,
  course: FlushProgress,
): Promise<Answer> {
  try {
    await applyOnce({ flush_id: randomUUID(), works: requestsOf(entries), naming }, parts, course)
    return () => {
      for (const entry of entries) entry.done()
    }
  } catch (error) {
    // Each waiting request gets its own outcome.
    if (error instanceof Failure || entries.length === 1) {
      for (const entry of entries) entry.failed(error)
      return answerNobody
    }
    parts.onBisect()
    parts.log.error(
      { err: error, requests: entries.length },
      'the database refused a flush; its requests are tried apart',
    )
    const half = entries.length >> 1
    const first = await applyBatch({ entries: entries.slice(0, half) }, parts, course)
    first()
    return applyBatch({ entries: entries.slice(half) }, parts, course)
  }
}

/** Applies a flush exactly once also when the connection is lost during COMMIT: the flush's own id tells what happened. */
async function applyOnce<Naming>(
  flush: Flush<Naming>,
  parts: IntakeServices<Naming>,
  course: FlushProgress,
): Promise<void> {
  let unknownSinceMs: number | undefined
  for (;;) {
    try {
      if (unknownSinceMs !== undefined && (await parts.isCommitted(flush.flush_id))) return
      await parts.apply(flush, course)
      return
    } catch (error) {
      if (error instanceof AlreadyApplied) return
      if (error instanceof OutcomeUnknown) unknownSinceMs ??= parts.clock.elapsed()
      // While the database is away, a COMMIT that was sent to it stays in doubt.
      if (unknownSinceMs === undefined || !(error instanceof Failure)) throw error
      if (parts.clock.elapsed() - unknownSinceMs > outcomeDeadlineMs) throw new OutcomeUnknown(error)
      await new Promise((resume) => setTimeout(resume, outcomePauseMs))
    }
  }
}
