import { invalid } from '../../base/errors.ts'
import { lastZone, toTimeZone } from '../../people/values/time-zones.ts'
import { badTime, passedTime } from './schedule-schema.ts'

/** When an order is due (contract 4.8), checked; stored in `dispatch.schedule`. */
export type Schedule = {
  /** As the request gave it. */
  readonly time: string
  readonly in_local_time: boolean
  readonly at_optimal_time: boolean
  /** The date and time of day in `time`, ISO 8601 without an offset. */
  readonly local: string
  /** The instant of `time`, epoch milliseconds; UTC when it has no offset. */
  readonly at_ms: number
  /** The offset of a local time, which is not used. */
  readonly dropped_offset?: string
}

/** Returns a schedule as the request gave it. */
export function describeSchedule({ time, in_local_time, at_optimal_time, dropped_offset }: Schedule) {
  return { time, in_local_time, at_optimal_time, ...(dropped_offset !== undefined && { dropped_offset }) }
}

/** Whether the order is due by the local time of each person. The optimal hour is local too, and overrides `in_local_time`. */
export function isLocal({ in_local_time, at_optimal_time }: Schedule): boolean {
  return in_local_time || at_optimal_time
}

/** Returns the local time at which the slot of a zone is due: for optimal times the beginning of the date. */
export function slotLocalTime({ at_optimal_time, local }: Schedule): string {
  return at_optimal_time ? `${dateOf(local)}T00:00:00.000` : local
}

/** Returns the last local time of a zone at which messages may be due: for optimal times the end of the date. */
export function lastLocalTime({ at_optimal_time, local }: Schedule): string {
  return at_optimal_time ? `${Temporal.PlainDate.from(dateOf(local)).add({ days: 1 })}T00:00:00.000` : local
}

/** Returns the date of a local date and time. */
export function dateOf(local: string): string {
  return local.slice(0, 'yyyy-MM-dd'.length)
}

/** A slot to insert. `zone`: a time zone or one of the constants below. With a `reason` its people get no message. */
export type PlannedSlot = { readonly zone: string; readonly dueMs: number; readonly reason?: 'local_time_passed' }

/** The one slot of an order that is due for all people at once. */
export const everyoneZone = ''
/** The slot of people without a time zone. */
export const noZone = '-'
/** The last slot of a local time: people who were in no other. */
export const leftoverZone = '*'
/** The slot of missed recipients that get the message after all. */
export const missedZone = '!'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
/** How long after the time has come in every time zone the last slot is due. */
const leftoverAfterMs = hourMs
/** A slot that is later than this, because the service was down, is not sent. For slots of a local time a setting decides. */
export const lateAfterMs = 6 * hourMs
/** The same for slots of optimal times, after their date: they belong to it. */
export const lateOptimalAfterMs = hourMs

/**
 * Plans the slots of a schedule; without one a single slot is due now. A local time gets one slot for each of `zones`, one for people
 * without a zone and a last one for all others; for optimal times they are due when the date begins. Where the time or the date has passed,
 * the slot is due with the first of the others and has a `reason`. Throws 400 when it has passed in every time zone. Pure.
 */
export function planSlots(
  schedule: Schedule | undefined,
  zones: readonly string[],
  { nowMs, workspaceZone }: { readonly nowMs: number; readonly workspaceZone: string },
): PlannedSlot[] {
  if (!schedule) return [{ zone: everyoneZone, dueMs: nowMs }]
  if (!isLocal(schedule)) return [{ zone: everyoneZone, dueMs: Math.max(schedule.at_ms, nowMs) }]
  checkNotPassed(schedule, nowMs)
  const slots = [...zones, noZone, leftoverZone].map((zone) => ({
    zone,
    dueMs: Math.max(slotInstant(zone, slotLocalTime(schedule), workspaceZone), schedule.at_optimal_time ? nowMs : 0),
    hasPassed: slotInstant(zone, lastLocalTime(schedule), workspaceZone) < nowMs,
  }))
  const firstMs = Math.min(...slots.filter(({ hasPassed }) => !hasPassed).map(({ dueMs }) => dueMs))
  return slots.map(({ zone, dueMs, hasPassed }) =>
    hasPassed ? { zone, dueMs: firstMs, reason: 'local_time_passed' as const } : { zone, dueMs },
  )
}

/** Throws 400 when a local time has passed in every time zone. */
export function checkNotPassed(schedule: Schedule, nowMs: number): void {
  if (zonedInstant(lastZone, lastLocalTime(schedule)) < nowMs) throw invalid(badTime, [passedTime])
}

/** Returns when a local time comes for the people of a slot, epoch milliseconds. Pure. */
export function slotInstant(zone: string, local: string, workspaceZone: string): number {
  if (zone === leftoverZone) return zonedInstant(lastZone, local) + leftoverAfterMs
  return zonedInstant(zone === noZone ? workspaceZone : (toTimeZone(zone) ?? workspaceZone), local)
}

/** Returns the instant of a local time in a zone, epoch milliseconds: in a gap the later, in an overlap the first instant. */
export function zonedInstant(zone: string, local: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds
}

/** Whether a slot is due at the local time of its people. */
export function isOfLocalTime(slot: SlotTimes): boolean {
  return !slot.schedule?.at_optimal_time && isOfZone(slot)
}

type SlotTimes = { readonly zone: string; readonly dueMs: number; readonly schedule?: Schedule | null }

function isOfZone({ zone }: SlotTimes): boolean {
  return zone !== everyoneZone && zone !== missedZone
}

/**
 * Whether a slot is too late to be sent, counted from the latest of its due time, its acceptance and its resumption. A slot of a local
 * time may be `localDelayMaxMs` late. Pure.
 */
export function isLate(
  slot: SlotTimes,
  order: { readonly createdMs: number; readonly resumedMs?: number | undefined },
  nowMs: number,
  localDelayMaxMs: number,
): boolean {
  const lateMs = nowMs - Math.max(slot.dueMs, order.createdMs, order.resumedMs ?? 0)
  if (isOfLocalTime(slot)) return lateMs > localDelayMaxMs
  // The slot is due when the date begins; the optimal hours are still to come.
  return lateMs > (isOfZone(slot) ? dayMs + lateOptimalAfterMs : lateAfterMs)
}
