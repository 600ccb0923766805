import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { isObject } from '../../people/values/values.ts'
import { checkNotPassed, isLocal, type Schedule } from './schedule.ts'
import {
  badFlag,
  badSchedule,
  badTime,
  scheduleIdRequired,
  timeRequired,
  unknownSchedule,
  unreadableTime,
} from './schedule-schema.ts'

const timeForm =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|[+-]\d{2}(?::?\d{2})?)?$/i

/** Reads a `schedule`. Throws 400: `Bad Request` for a time that cannot be read or has passed everywhere. */
export function readSchedule(given: unknown, nowMs: number): Schedule {
  if (!isObject(given)) throw invalid(badSchedule)
  const { time } = given
  if (time === undefined || time === null) throw invalid(timeRequired)
  const in_local_time = readFlag(given.in_local_time, 'in_local_time')
  const at_optimal_time = readFlag(given.at_optimal_time, 'at_optimal_time')
  const { local, offset } = readTime(time)
  const schedule = {
    time: time as string,
    in_local_time,
    at_optimal_time,
    local,
    at_ms: instantOf(local, offset),
  }
  if (!isLocal(schedule)) return schedule
  checkNotPassed(schedule, nowMs)
  return offset === undefined ? schedule : { ...schedule, dropped_offset: offset }
}

const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Reads a `schedule_id`. Throws 400 for one that no schedule can have. */
export function readScheduleId(given: unknown): string {
  if (!isGiven(given)) throw invalid(scheduleIdRequired)
  if (typeof given !== 'string' || !uuidForm.test(given)) throw invalid(unknownSchedule)
  return given
}

/** Clients send flags as text too. */
function readFlag(given: unknown, name: string): boolean {
  if (given === undefined || given === null) return false
  if (typeof given === 'boolean') return given
  if (given === 'true' || given === 'false') return given === 'true'
  throw invalid(badFlag(name))
}

function readTime(time: unknown): { local: string; offset: string | undefined } {
  const [, date, minutes = '00:00', seconds = '00', fraction = '0', offset] =
    (typeof time === 'string' && timeForm.exec(time)) || []
  if (date === undefined) throw invalid(badTime, [unreadableTime])
  const local = `${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}`
  // `Date` reads 30 February as a day of March.
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
