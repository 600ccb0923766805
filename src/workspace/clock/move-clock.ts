import type { Call } from '../../base/call.ts'
import { isVirtual } from '../../base/clock.ts'
import { ensureWeeks } from '../../base/db/weeks.ts'
import { conflict, invalid } from '../../base/errors.ts'
import { parseInstant } from '../../base/http/query.ts'
import { recordAudit } from '../audit/record.ts'
import { durationPattern, timeAfter } from '../settings/duration.ts'
import { updateVirtualNow } from '../settings/installation-store.ts'
import type { ClockReading } from './schema.ts'

const dayMs = 86_400_000
const lastMs = Date.UTC(9999, 11, 31)
const advanceDaysMax = 400
const notAllDone = 'there was too much work: some of what is due by now is not done yet'

/**
 * Does the work that is due until an instant, in order. Returns the instant that it reached, and whether all work that was due until then
 * is done.
 */
export type RunDue = (call: Call, untilMs: number) => Promise<{ readonly reachedMs: number; readonly isDone: boolean }>

export async function readClock({ clock }: Call): Promise<ClockReading> {
  return { now: new Date(clock.now()).toISOString(), clock: isVirtual(clock) ? 'virtual' : 'system' }
}

/**
 * Returns a function that moves the virtual clock, one call after the other. Work that becomes due is done before it returns. A move ends
 * after 400 days or when `runDue` stops; the answer has the instant. Throws 409 on a system clock and for an earlier instant.
 */
export function createClockMover(runDue: RunDue): (call: Call, body: unknown) => Promise<ClockReading> {
  let last: Promise<unknown> = Promise.resolve()
  return (call, body) => {
    const run = () => moveClock(call, body, runDue)
    // The next move runs whether or not this one fails.
    const move = last.then(run, run)
    last = move
    return move
  }
}

async function moveClock(call: Call, body: unknown, runDue: RunDue): Promise<ClockReading> {
  const { clock, db } = call
  if (!isVirtual(clock)) {
    throw conflict('The clock is the system clock and cannot be moved: start with EASEL_CLOCK=virtual')
  }
  const nowMs = clock.now()
  const requestedMs = readTargetMs(body, nowMs)
  if (requestedMs < nowMs) {
    throw conflict(`The clock is at ${iso(nowMs)} and never goes back; ${iso(requestedMs)} is earlier`)
  }
  if (requestedMs > lastMs) throw invalid(`The clock ends on ${iso(lastMs)}`)
  const untilMs = Math.min(requestedMs, nowMs + advanceDaysMax * dayMs)
  await ensureWeeks(db, untilMs)
  const { reachedMs, isDone } = await runDue(call, untilMs)
  // The instant is stored before the clock moves, so that after a kill the clock is never before a stored timestamp.
  await db.transaction(async (tx) => {
    await updateVirtualNow(tx, new Date(reachedMs))
    const readings = { before: { now: iso(nowMs) }, after: { now: iso(reachedMs) } }
    await recordAudit(tx, call, { action: 'clock.move', target: { kind: 'clock', id: 'virtual' }, ...readings })
  })
  clock.moveTo(reachedMs)
  const reading = await readClock(call)
  if (reachedMs === requestedMs) return isDone ? reading : { ...reading, stopped: notAllDone }
  const why = isDone ? `one move is at most ${advanceDaysMax} days` : 'there was too much work on the way'
  return { ...reading, stopped: `${why}; ${iso(requestedMs)} was requested` }
}

function readTargetMs(body: unknown, nowMs: number): number {
  const { now, advance, ...others } = (body ?? {}) as Record<string, unknown>
  const members = [now, advance].filter((value) => value !== undefined)
  if (members.length !== 1 || Object.keys(others).length > 0) {
    throw invalid('The body must be {"now": "2030-01-31T09:00:00Z"} or {"advance": "P3D"}')
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
