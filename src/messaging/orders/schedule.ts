import { invalid } from '../../base/errors.ts'
import { lastZone, toTimeZone } from '../../people/values/time-zones.ts'
import { isObject } from '../../people/values/values.ts'
import { badFlag, badSchedule, badTime, passedTime, timeRequired, unreadableTime } from './schedule-schema.ts'

/** When something is sent (contract 4.8), read and checked; kept in `dispatch.schedule` as it stands here. */
export type Schedule = {
  /** As it was sent. */
  readonly time: string
  readonly in_local_time: boolean
  readonly at_optimal_time: boolean
  /** The date and time of day in `time`, ISO 8601 without an offset. */
  readonly local: string
  /** The instant it says, UTC when it had no offset; epoch milliseconds. */
  readonly at_ms: number
  /** The offset that stood in a local time, and is not used. */
  readonly dropped_offset?: string
}

/** A schedule as it is shown: what was asked for, without what was read from it. */
export function describeSchedule({ time, in_local_time, at_optimal_time, dropped_offset }: Schedule) {
  return { time, in_local_time, at_optimal_time, ...(dropped_offset !== undefined && { dropped_offset }) }
}

/** Whether clocks where people live decide; the best hour of a person is one of theirs, and goes before `in_local_time`. */
export function isLocal({ in_local_time, at_optimal_time }: Schedule): boolean {
  return in_local_time || at_optimal_time
}

/** The date and time of day at which the slot of a zone falls due: for best hours the beginning of the date. */
export function slotLocalTime({ at_optimal_time, local }: Schedule): string {
  return at_optimal_time ? `${dateOf(local)}T00:00:00.000` : local
}

/** Until when people of a zone may be sent to: for best hours the end of the date. */
function lastLocal({ at_optimal_time, local }: Schedule): string {
  return at_optimal_time ? `${Temporal.PlainDate.from(dateOf(local)).add({ days: 1 })}T00:00:00.000` : local
}

/** The date of a local date and time. */
export function dateOf(local: string): string {
  return local.slice(0, 'yyyy-MM-dd'.length)
}

/** People who are sent to at the same instant. `zone` as in `dispatch_slot`; with `reason` they end with it instead. */
export type PlannedSlot = { readonly zone: string; readonly dueMs: number; readonly reason?: 'local_time_passed' }

/** Zones of slots that are not a time zone. */
export const everyoneZone = ''
export const noZone = '-'
export const leftoverZone = '*'
export const missedZone = '!'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** The last sweep comes so much later. */
const sweepAfterMs = hourMs
/** What was due longer ago, the service being away, is not sent silently. */
export const lateAfterMs = 6 * hourMs
export const lateLocalAfterMs = hourMs

const timeForm =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i

/** Reads a schedule object. Throws 400: `Bad Request` for a time that cannot be read or has passed everywhere. */
export function readSchedule(value: unknown, nowMs: number): Schedule {
  if (!isObject(value)) throw invalid(badSchedule)
  const { time } = value
  if (time === undefined || time === null) throw invalid(timeRequired)
  const in_local_time = readFlag(value.in_local_time, 'in_local_time')
  const at_optimal_time = readFlag(value.at_optimal_time, 'at_optimal_time')
  const { local, offset } = readTime(time)
  const schedule = {
    time: time as string,
    in_local_time,
    at_optimal_time,
    local,
    at_ms: instantOf(local, offset),
  }
  if (!isLocal(schedule)) return schedule
  if (zonedInstant(lastZone, lastLocal(schedule)) < nowMs) throw invalid(badTime, [passedTime])
  return offset === undefined ? schedule : { ...schedule, dropped_offset: offset }
}

/**
 * The slots of a schedule, or the one slot of what is sent at once. Local times: one for each of `zones`, the time zones of people, one
 * for people without, and a last one for whoever is left then; for best hours they are due when the date begins. Where the time, or the
 * date, has passed, people are counted when the first others are sent to. Throws 400 when it has passed everywhere. Pure.
 */
export function planSlots(
  schedule: Schedule | undefined,
  zones: readonly string[],
  { nowMs, workspaceZone }: { readonly nowMs: number; readonly workspaceZone: string },
): PlannedSlot[] {
  if (!schedule) return [{ zone: everyoneZone, dueMs: nowMs }]
  if (!isLocal(schedule)) return [{ zone: everyoneZone, dueMs: Math.max(schedule.at_ms, nowMs) }]
  if (zonedInstant(lastZone, lastLocal(schedule)) < nowMs) throw invalid(badTime, [passedTime])
  const slots = [...zones, noZone, leftoverZone].map((zone) => ({
    zone,
    dueMs: Math.max(slotInstant(zone, slotLocalTime(schedule), workspaceZone), schedule.at_optimal_time ? nowMs : 0),
    isOver: slotInstant(zone, lastLocal(schedule), workspaceZone) < nowMs,
  }))
  const firstMs = Math.min(...slots.filter(({ isOver }) => !isOver).map(({ dueMs }) => dueMs))
  return slots.map(({ zone, dueMs, isOver }) =>
    isOver ? { zone, dueMs: firstMs, reason: 'local_time_passed' as const } : { zone, dueMs },
  )
}

/** When a local time comes for the people of a slot, `zone` as it is called there. Epoch milliseconds. Pure. */
export function slotInstant(zone: string, local: string, workspaceZone: string): number {
  if (zone === leftoverZone) return zonedInstant(lastZone, local) + sweepAfterMs
  return zonedInstant(zone === noZone ? workspaceZone : (toTimeZone(zone) ?? workspaceZone), local)
}

/** When the clocks of a zone show a local time: in a gap the later, in an overlap the first time. Epoch milliseconds. */
export function zonedInstant(zone: string, local: string): number {
  return Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: 'compatible' }).epochMilliseconds
}

/** Whether a slot is too late to be sent, counted from the latest of what could have held it up. Pure. */
export function isLate(
  slot: { readonly zone: string; readonly dueMs: number; readonly schedule?: Schedule | null },
  dispatch: { readonly createdMs: number; readonly resumedMs?: number | undefined },
  nowMs: number,
): boolean {
  const isOfZone = slot.zone !== everyoneZone && slot.zone !== missedZone
  const fromMs = Math.max(slot.dueMs, dispatch.createdMs, dispatch.resumedMs ?? 0)
  // The hours that suit people are still to come.
  const aheadMs = slot.schedule?.at_optimal_time && isOfZone ? dayMs : 0
  return nowMs - fromMs > aheadMs + (isOfZone ? lateLocalAfterMs : lateAfterMs)
}

/** Clients send booleans as texts too. */
function readFlag(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid(badFlag(name))
}

function readTime(time: unknown): { local: string; offset: string | undefined } {
  const [, date, minutes = '00:00', seconds = '00', fraction = '0', offset] =
    (typeof time === 'string' && timeForm.exec(time)) || []
  if (date === undefined) throw invalid(badTime, [unreadableTime])
  const local = `${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
  // Days that no month has would be taken for those of the next one.
  const utc = new Date(`${local}Z`)
  if (Number.isNaN(utc.getTime()) || utc.toISOString() !== `${local}Z`) throw invalid(badTime, [unreadableTime])
  return { local, offset }
}

function instantOf(local: string, offset = 'Z'): number {
  const [, sign, hours, minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset) ?? []
  const ms = Date.parse(sign === undefined ? `${local}Z` : `${local}${sign}${hours}:${minutes}`)
  if (Number.isNaN(ms)) throw invalid(badTime, [unreadableTime])
  return ms
}
