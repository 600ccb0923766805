import { isCalendarDate, parseQueryTime } from '../../base/dates.ts'
import { dayNumber, dayOf, daysBefore, startOfDay } from '../../base/days.ts'
import { invalid } from '../../base/errors.ts'
import { readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'

/** Points of a series. */
export const seriesPointsMax = 100

export type SeriesUnit = 'day' | 'hour'

/** The points of a series: `times` has their names in answers, `startsMs` when each begins, and when the last one ends. */
export type SeriesRange = { readonly times: readonly string[]; readonly startsMs: readonly number[] }

export type RangeRules = {
  readonly nowMs: number
  /** The time zone of days and hours. */
  readonly zone: string
  readonly pointsMax?: number
  readonly units?: readonly SeriesUnit[]
}

const hourMs = 60 * 60 * 1000

/**
 * Reads `length`, `ending_at` and `unit` of a series (contract 10.4). `ending_at` is a day (`yyyy-MM-dd`) in the zone, or an instant; a
 * time without an offset is UTC. When it is absent or later than now, the series ends now. Throws 400.
 */
export function readRange(query: Query, rules: RangeRules): SeriesRange {
  const { units = ['day'], pointsMax = seriesPointsMax } = rules
  const unit = readNonEmpty(query, 'unit') ?? 'day'
  if (!units.includes(unit as SeriesUnit)) throw invalid(`'unit' must be ${units.join(' or ')}`)
  const length = readLength(query, pointsMax)
  const endMs = readEnd(query, rules)
  return unit === 'day'
    ? rangeOfDays(dayOf(endMs, rules.zone), length, rules.zone)
    : rangeOfHours(endMs, length, rules.zone)
}

/**
 * Reads the days of a series that may name its first one: `starting_at` (as `ending_at`), or else `length`. Throws 400.
 */
export function readDays(query: Query, rules: RangeRules & { readonly pointsMax: number }): SeriesRange {
  const { pointsMax, zone } = rules
  const starting_at = readNonEmpty(query, 'starting_at')
  if (starting_at === undefined) {
    if (readNonEmpty(query, 'length') === undefined) throw invalid("'length' or 'starting_at' is required")
    return readRange(query, rules)
  }
  const startMs = isCalendarDate(starting_at) ? startOfDay(starting_at, zone) : parseQueryTime(starting_at)
  if (startMs === undefined) throw invalid("'starting_at' is not valid")
  const last = dayOf(readEnd(query, rules), zone)
  const length = dayNumber(last) - dayNumber(dayOf(startMs, zone)) + 1
  if (length < 1) throw invalid("'starting_at' must be before 'ending_at', and before now")
  if (length > pointsMax) throw invalid(`'starting_at' and 'ending_at' must be at most ${pointsMax} days apart`)
  return rangeOfDays(last, length, zone)
}

function readLength(query: Query, max: number): number {
  const text = readNonEmpty(query, 'length') ?? ''
  const length = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (length < 1 || length > max) throw invalid(`'length' must be a whole number from 1 to ${max}`)
  return length
}

function readEnd(query: Query, { nowMs, zone }: RangeRules): number {
  const text = readNonEmpty(query, 'ending_at')
  if (text === undefined) return nowMs
  if (isCalendarDate(text)) return Math.min(startOfDay(daysBefore(text, -1), zone) - 1, nowMs)
  const ms = parseQueryTime(text)
  if (ms === undefined) throw invalid("'ending_at' is not valid")
  return Math.min(ms, nowMs)
}

/** Returns the days that end with this one. */
export function rangeOfDays(last: string, length: number, zone: string): SeriesRange {
  const times = Array.from({ length }, (_, i) => daysBefore(last, length - 1 - i))
  return { times, startsMs: [...times, daysBefore(last, -1)].map((day) => startOfDay(day, zone)) }
}

/** Returns the hours of the clocks of a zone that end with the one of an instant. */
function rangeOfHours(endMs: number, length: number, zone: string): SeriesRange {
  const { minute, second, millisecond } = Temporal.Instant.fromEpochMilliseconds(endMs).toZonedDateTimeISO(zone)
  const lastMs = endMs - (minute * 60_000 + second * 1000 + millisecond)
  const startsMs = Array.from({ length: length + 1 }, (_, i) => lastMs - (length - 1 - i) * hourMs)
  return { times: startsMs.slice(0, -1).map((ms) => new Date(ms).toISOString()), startsMs }
}
