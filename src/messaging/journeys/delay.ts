import { spanAt } from '../../people/values/zone-spans.ts'
import type { DelayStep } from '../flows/flow.ts'
import { zonedInstant } from '../orders/schedule.ts'

type ClockTime = Extract<DelayStep['wait'], { readonly until: string }>

const dayMs = 86_400_000
const minuteMs = 60_000
/** Days that are tried: the day before, whose time may fall after midnight, a week, and the same weekday again. */
const daysAhead = 8

/**
 * Returns when a wait that begins at `fromMs` ends: after a duration, or at its next time of day in `zone`, on one of its weekdays if it
 * has any. The result is always later than `fromMs`. In a gap of the local time it is later by the length of the gap; in an overlap it is
 * the first instant, so that every day has one. Epoch milliseconds. Pure.
 */
export function delayUntil(wait: DelayStep['wait'], fromMs: number, zone: string): number {
  if ('forMs' in wait) return fromMs + wait.forMs
  return untilWithoutChange(wait, fromMs, zone) ?? untilAroundChange(wait, fromMs, zone)
}

/**
 * Computes the end with numbers alone, fifty times as fast as with `Temporal`. Undefined when the offset of the zone changes between a day
 * before `fromMs` and the end.
 */
function untilWithoutChange({ until, weekdays }: ClockTime, fromMs: number, zone: string): number | undefined {
  const span = spanAt(fromMs, zone)
  if (fromMs - dayMs < span.fromMs) return undefined
  const localMs = fromMs + span.offsetMs
  const timeMs = (Number(until.slice(0, 2)) * 60 + Number(until.slice(3, 5))) * minuteMs
  const today = Math.floor(localMs / dayMs)
  for (let day = today; day <= today + daysAhead; day++) {
    const ms = day * dayMs + timeMs - span.offsetMs
    if (ms >= span.untilMs) return undefined
    if (ms > fromMs && (weekdays.length === 0 || weekdays.includes(weekdayOf(day)))) return ms
  }
  return undefined
}

/** Returns 1 Monday to 7 for a day counted from 1 January 1970, a Thursday. */
function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

function untilAroundChange({ until, weekdays }: ClockTime, fromMs: number, zone: string): number {
  const today = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone).toPlainDate()
  for (let days = -1; days <= daysAhead; days++) {
    const date = today.add({ days })
    if (weekdays.length > 0 && !weekdays.includes(date.dayOfWeek)) continue
    const ms = zonedInstant(zone, `${date}T${until}`)
    if (ms > fromMs) return ms
  }
  throw new Error(`no day has the time ${until} on the weekdays ${weekdays}`)
}
