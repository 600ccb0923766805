import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { OutcomeUnknown } from '../../base/db/db.ts'
import { Failure, unavailable } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { activeSpan, activeTelemetry, type WorkSpan } from '../../base/telemetry.ts'
import { FlushOutcome, type ItemLosses, nothingLost } from './flush-outcome.ts'
import { AlreadyApplied } from './flush-store.ts'
import { KeysTaken } from './keyed-answers.ts'
import type { PreparedRequest } from './prepare-request.ts'

/** Requests to apply in one transaction. `people`: the people that they name, if these were looked up early. */
export type Flush<People> = {
  flush_id: string
  requests: readonly PreparedRequest[]
  people?: People | undefined
  /** What it does not keep. */
  outcome: FlushOutcome
}

/** The progress that a flush reports while it is applied. */
export type FlushProgress = {
  /** Called when the database has nearly all statements and this process is free for other work. */
  sent(): void
  /** Called when everything is written, before COMMIT. */
  written(): void
}

export type IntakeServices<People> = {
  clock: Clock
  log: Log
  /** Looks up the people that requests name, without I/O. May run while the database commits the requests before them. */
  lookUp(requests: readonly PreparedRequest[]): People
  /** Applies the requests of a flush and writes its id, in one transaction. Throws `AlreadyApplied` if the flush was committed before. */
  apply(flush: Flush<People>, progress: FlushProgress): Promise<void>
  /** Returns whether a flush with this id has been committed. */
  isCommitted(flush_id: string): Promise<boolean>
  /**
   * Called when the database refuses a flush, which is then split. It is a defect of Easel: the validation accepted something that the
   * database does not.
   */
  onBisect(): void
}

export type Intake = {
  /**
   * Resolves when the request is durable and visible, with what is not kept of its items and of those of other requests. Rejects if it was
   * not applied, or with 503 if its outcome remains unknown.
   */
  submit(request: PreparedRequest): Promise<ItemLosses>
  /** The number of updates that wait for a flush. */
  waiting(): number
  /** Applies all submitted requests, then stops. */
  close(): Promise<void>
}

const flushRequestsMax = 200
/**
 * The most updates of a flush. It does not take all waiting updates: with many clients, one half is read and checked while the other half
 * is written.
 */
const flushUpdatesMax = 1600
const waitingUpdatesMax = 50_000
const answerDelayMaxMs = 20
const outcomeDeadlineMs = 10_000
const outcomePauseMs = 200

type QueuedRequest = {
  request: PreparedRequest
  size: number
  /** The span of the request, while requests are recorded. */
  span: WorkSpan | undefined
  done(losses: ItemLosses): void
  failed(error: unknown): void
}

/**
 * Opens the group commit: collects requests while a flush is in progress and applies them together. Only one flush runs at a time, so that
 * concurrent requests take effect in some serial order.
 */
export function openIntake<People>(services: IntakeServices<People>): Intake {
  const queue: QueuedRequest[] = []
  let waiting = 0
  let running: Promise<void> | undefined
  let closed = false

  function take(): QueuedRequest[] {
    const queued = takeBatch(queue)
    for (const each of queued) waiting -= each.size
    return queued
  }

  async function run(): Promise<void> {
    // The requests of a flush are answered after the next flush has sent its statements, because these are more urgent than new requests.
    let answer = answerNobody
    let next: Batch<People> | undefined
    while (next || queue.length > 0) {
      const batch = next ?? { queued: take() }
      next = undefined
      const sent = once(answer)
      const answerTimer = setTimeout(sent, answerDelayMaxMs)
      let committing = true
      const takeNext = () => {
        if (committing && queue.length > 0) next ??= lookUpEarly(take(), services)
      }
      // `setImmediate` lets COMMIT be sent first.
      answer = await applyBatch(batch, services, { sent, written: () => void setImmediate(takeNext) })
      committing = false
      clearTimeout(answerTimer)
      sent()
    }
    running = undefined
    answer()
  }

  return {
    submit(request) {
      const size =
        request.attributes.length + request.events.length + request.purchases.length + request.addresses.length
      if (size === 0) return Promise.resolve(nothingLost)
      if (closed) return Promise.reject(unavailable('The service is stopping'))
      if (waiting + size > waitingUpdatesMax) return Promise.reject(unavailable('The service is busy'))
      waiting += size
      return new Promise<ItemLosses>((done, failed) => {
        queue.push({ request, size, span: activeSpan(), done, failed })
        // One turn of the event loop lets requests that arrived together share a flush.
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

type Batch<People> = { queued: readonly QueuedRequest[]; people?: People }

/** Looks people up before the flush. A failure here is not reported: the look-up is repeated when the batch is applied. */
function lookUpEarly<People>(queued: readonly QueuedRequest[], { lookUp }: IntakeServices<People>): Batch<People> {
  try {
    return { queued, people: lookUp(requestsOf(queued)) }
  } catch {
    // `applyBatch` repeats the look-up and reports its failure.
    return { queued }
  }
}

function requestsOf(queued: readonly QueuedRequest[]): PreparedRequest[] {
  return queued.map((each) => each.request)
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
 * Applies a batch and returns the function that answers its requests. Failed requests are answered at once. A batch that the database
 * refuses is halved until the bad request is alone in its batch.
 */
async function applyBatch<People>(
  { queued, people }: Batch<People>,
  services: IntakeServices<People>,
  progress: FlushProgress,
): Promise<Answer> {
  try {
    const outcome = new FlushOutcome()
    const flush = { flush_id: randomUUID(), requests: requestsOf(queued), people, outcome }
    await recordFlush(queued, () => applyOnce(flush, services, progress))
    return () => {
      for (const each of queued) each.done(outcome)
    }
  } catch (error) {
    if (error instanceof KeysTaken) return applyOthers(queued, error, services, progress)
    // Every request gets an answer of its own.
    if (error instanceof Failure || queued.length === 1) {
      for (const each of queued) each.failed(error)
      return answerNobody
    }
    services.onBisect()
    services.log.error(
      { err: error, requests: queued.length },
      'the database refused a flush; its requests are applied in smaller groups',
    )
    const half = queued.length >> 1
    const first = await applyBatch({ queued: queued.slice(0, half) }, services, progress)
    first()
    return applyBatch({ queued: queued.slice(half) }, services, progress)
  }
}

/** Records a flush as a span of its own. It and its requests have links to each other, because a flush is part of several traces. */
function recordFlush(queued: readonly QueuedRequest[], work: () => Promise<void>): Promise<void> {
  const telemetry = activeTelemetry()
  if (telemetry === undefined) return work()
  const spans = queued.flatMap(({ span }) => span ?? [])
  const attributes = {
    'easel.requests': queued.length,
    'easel.updates': queued.reduce((sum, { size }) => sum + size, 0),
  }
  return telemetry.root('intake.flush', { links: spans, attributes }, (flush) => {
    for (const span of spans) span.link(flush)
    return work()
  })
}

/** Refuses the requests whose keys were used meanwhile, and applies the others. */
async function applyOthers<People>(
  queued: readonly QueuedRequest[],
  error: KeysTaken,
  services: IntakeServices<People>,
  progress: FlushProgress,
): Promise<Answer> {
  const others: QueuedRequest[] = []
  for (const each of queued) {
    if (error.requests.has(each.request)) each.failed(error.refusal())
    else others.push(each)
  }
  return others.length === 0 ? answerNobody : applyBatch({ queued: others }, services, progress)
}

/**
 * Applies a flush exactly once, even if the connection is lost during COMMIT: the stored id of the flush shows whether it was committed.
 */
async function applyOnce<People>(
  flush: Flush<People>,
  services: IntakeServices<People>,
  progress: FlushProgress,
): Promise<void> {
  let unknownSinceMs: number | undefined
  for (;;) {
    try {
      if (unknownSinceMs !== undefined && (await services.isCommitted(flush.flush_id))) return
      await services.apply(flush, progress)
      return
    } catch (error) {
      if (error instanceof AlreadyApplied) return
      if (error instanceof OutcomeUnknown) unknownSinceMs ??= services.clock.elapsed()
      // While the database is unavailable, the outcome of a COMMIT that was sent is unknown.
      if (unknownSinceMs === undefined || !(error instanceof Failure)) throw error
      if (services.clock.elapsed() - unknownSinceMs > outcomeDeadlineMs) throw new OutcomeUnknown(error)
      await new Promise((resume) => setTimeout(resume, outcomePauseMs))
    }
  }
}
