import { isDeepStrictEqual } from 'node:util'
import type { Call } from '../../base/call.ts'
import { type Clock, isVirtual, type VirtualClock } from '../../base/clock.ts'
import { conflict, type Failure, invalid } from '../../base/errors.ts'
import { parseInstant } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import { recordAudit } from '../audit/record.ts'
import { durationPattern, timeAfter } from '../settings/duration.ts'
import { updateVirtualNow } from '../settings/installation-store.ts'
import { findNext } from './find-next.ts'
import { workMsMax } from './run-due-work.ts'
import type { ClockDone, ClockReading } from './schema.ts'

/** Stamps are whole microseconds in a double, which is exact until 2255. */
const endMs = Date.UTC(2250, 0, 1)

/**
 * Does the work that is due until an instant, in order. Returns the instant that it reached, whether all work that was due until then is
 * done, and what was done.
 */
export type RunDue = (
  call: Call,
  untilMs: number,
) => Promise<{ readonly reachedMs: number; readonly isDone: boolean; readonly done?: ClockDone }>

/** A move of the clock by a request. `may` is that of the request. */
export type MoveRequest = Pick<Request, 'body' | 'may'>

export type ClockMover = {
  /** Returns business time, what becomes due next and, while a virtual clock is being moved, where it goes. */
  readClock(call: Call, request: Pick<Request, 'may'>): Promise<ClockReading>
  /**
   * Moves the virtual clock, one call after the other. Returns when it is at the requested instant and all work that became due is done.
   * Throws 409 on a system clock, for an earlier instant, and when `runDue` stops before: the message says how to continue.
   */
  moveClock(call: Call, request: MoveRequest): Promise<ClockReading>
}

export function openClockMover(runDue: RunDue, dueWorks: readonly DueWork[]): ClockMover {
  let targetMs: number | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function move(call: Call, { body, may }: MoveRequest): Promise<ClockReading> {
    const { clock, db } = call
    if (!isVirtual(clock)) {
      throw conflict('The clock is the system clock and cannot be moved: start with EASEL_CLOCK=virtual')
    }
    const untilMs = isToNext(body) ? await nextMs(call) : readTargetMs(body, clock.now())
    targetMs = untilMs
    let done: ClockDone | undefined
    try {
      done = await moveTo(untilMs, call, clock, runDue)
    } finally {
      targetMs = undefined
    }
    return { ...(await readingOf(clock, db, may)), ...(done && { done }) }
  }

  async function nextMs({ db, clock }: Call): Promise<number> {
    const next = await findNext(db, dueWorks)
    if (next === undefined) throw conflict('Nothing becomes due: nobody waits in a canvas, and no send is planned')
    return Math.max(next.dueMs, clock.now())
  }

  async function readingOf(clock: Clock, db: Call['db'], may: Request['may']): Promise<ClockReading> {
    const next = await findNext(db, dueWorks)
    // An account that may not see every workspace is not told the names of its canvases and campaigns.
    const which = may === undefined || may('clock.move') ? 'named' : 'plain'
    return {
      now: iso(clock.now()),
      clock: isVirtual(clock) ? 'virtual' : 'system',
      ...(next && { next: { at: iso(next.dueMs), what: next.words[which] } }),
    }
  }

  return {
    readClock: async ({ clock, db }, { may }) => ({
      ...(await readingOf(clock, db, may)),
      ...(targetMs !== undefined && { moving_to: iso(targetMs) }),
    }),
    moveClock(call, request) {
      const run = () => move(call, request)
      // The next move runs whether or not this one fails.
      const moved = last.then(run, run)
      last = moved
      return moved
    },
  }
}

async function moveTo(
  targetMs: number,
  call: Call,
  clock: VirtualClock,
  runDue: RunDue,
): Promise<ClockDone | undefined> {
  const { db } = call
  const nowMs = clock.now()
  const { reachedMs, isDone, done } = await runDue(call, targetMs)
  // The instant is stored before the clock moves, so that after a kill the clock is never before a stored timestamp.
  await db.transaction(async (tx) => {
    await updateVirtualNow(tx, new Date(reachedMs))
    const readings = { before: { now: iso(nowMs) }, after: { now: iso(reachedMs) } }
    await recordAudit(tx, call, { action: 'clock.move', target: { kind: 'clock', id: 'virtual' }, ...readings })
  })
  clock.moveTo(reachedMs)
  if (!isDone) throw unfinished(reachedMs, targetMs)
  return done
}

/** Names the instant also for a move by a duration: the same duration again would count from the instant that was reached. */
function unfinished(reachedMs: number, targetMs: number): Failure {
  return conflict(
    `The clock is at ${iso(reachedMs)}, and some work that is due by then is not done: one call works for at most ` +
      `${workMsMax / 1000} seconds. Send {"now": "${iso(targetMs)}"} to continue`,
  )
}

function isToNext(body: unknown): boolean {
  return isDeepStrictEqual(body, { to: 'next' })
}

function readTargetMs(body: unknown, nowMs: number): number {
  const targetMs = readRequestedMs(body, nowMs)
  if (targetMs < nowMs) {
    throw conflict(`The clock is at ${iso(nowMs)} and never goes back; ${iso(targetMs)} is earlier`)
  }
  if (targetMs > endMs) throw invalid(`The clock ends on ${iso(endMs)}`)
  return targetMs
}

function readRequestedMs(body: unknown, nowMs: number): number {
  const { now, advance, ...others } = (body ?? {}) as Record<string, unknown>
  const members = [now, advance].filter((value) => value !== undefined)
  if (members.length !== 1 || Object.keys(others).length > 0) {
    throw invalid('The body must be {"now": "2030-01-31T09:00:00Z"}, {"advance": "P3D"} or {"to": "next"}')
  }
  if (advance !== undefined) {
    if (typeof advance === 'string' && new RegExp(durationPattern).test(advance)) return timeAfter(nowMs, advance)
    throw invalid("'advance' must be an ISO 8601 duration such as P3D or PT90M")
  }
  const ms = typeof now === 'string' ? parseInstant(now) : undefined
  if (ms === undefined) throw invalid("'now' must be an ISO 8601 instant with offset such as 2030-01-31T09:00:00Z")
  return ms
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
