import { parseWrittenTime } from '../../base/dates.ts'
import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { isObject } from '../../people/values/values.ts'
import { checkNotPassed, isLocal, type Schedule } from './schedule.ts'
import {
  badFlag,
  badSchedule,
  badTime,
  longPassedTime,
  offsetDropped,
  scheduleIdRequired,
  sentAtOnce,
  timeRequired,
  unknownSchedule,
  unreadableTime,
} from './schedule-schema.ts'

const dayMs = 24 * 60 * 60_000
/** How long a time may have passed. Messages of an older one would surprise: its year or its offset is probably wrong. */
export const passedMsMax = dayMs

/**
 * Reads a `schedule`. `notices` gets what is not kept as sent. `name`: how the request names the time. Throws 400: `Bad Request` for a time
 * that cannot be read or has passed, by more than a day or in every time zone.
 */
export function readSchedule(given: unknown, nowMs: number, notices: Notices, name = 'schedule.time'): Schedule {
  if (!isObject(given)) throw invalid(badSchedule)
  const { time } = given
  if (time === undefined || time === null) throw invalid(timeRequired)
  const in_local_time = readFlag(given.in_local_time, 'in_local_time')
  const at_optimal_time = readFlag(given.at_optimal_time, 'at_optimal_time')
  const written = typeof time === 'string' ? parseWrittenTime(time) : undefined
  if (!written) throw invalid(badTime, [unreadableTime])
  const { local, offset, ms: at_ms } = written
  const schedule = { time: time as string, in_local_time, at_optimal_time, local, at_ms }
  if (!isLocal(schedule)) {
    if (nowMs - at_ms > passedMsMax) throw invalid(badTime, [longPassedTime])
    if (at_ms < nowMs) notices.add(name, sentAtOnce)
    return schedule
  }
  checkNotPassed(schedule, nowMs)
  if (offset === undefined) return schedule
  notices.add(name, offsetDropped)
  return { ...schedule, dropped_offset: offset }
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
