import { spanAt } from '../../people/values/zone-spans.ts'
import type { DelayStep } from '../flows/flow.ts'
import { zonedInstant } from '../orders/schedule.ts'

type ClockTime = Extract<DelayStep['wait'], { readonly until: string }>

const dayMs = 86_400_000
const minuteMs = 60_000
/** Days that are looked at: the one before, whose time may come after midnight, a week, and the day itself again. */
const daysAhead = 8

/**
 * When a wait that begins at `fromMs` is over: so much later, or the next time that clocks in `zone` show its time of day, on one of its
 * weekdays if there are any. It is always later than `fromMs`. Where clocks are set forward over the time it is as much later; where they
 * show it twice the first time is meant, so that there is one on each day. Epoch milliseconds. Pure.
 */
export function delayUntil(wait: DelayStep['wait'], fromMs: number, zone: string): number {
  if ('forMs' in wait) return fromMs + wait.forMs
  return untilWithoutChange(wait, fromMs, zone) ?? untilAroundChange(wait, fromMs, zone)
}

/** By numbers alone, where clocks were not set within a day and are not until then; it takes a fiftieth of the time. */
function untilWithoutChange({ until, weekdays }: ClockTime, fromMs: number, zone: string): number | undefined {
  const span = spanAt(fromMs, zone)
  if (fromMs - dayMs < span.fromMs) return undefined
  const shownMs = fromMs + span.offsetMs
  const timeMs = (Number(until.slice(0, 2)) * 60 + Number(until.slice(3, 5))) * minuteMs
  const today = Math.floor(shownMs / dayMs)
  for (let day = today; day <= today + daysAhead; day++) {
    const ms = day * dayMs + timeMs - span.offsetMs
    if (ms >= span.untilMs) return undefined
    if (ms > fromMs && (weekdays.length === 0 || weekdays.includes(weekdayOf(day)))) return ms
  }
  return undefined
}

/** 1 Monday to 7, of a day counted from 1 January 1970, a Thursday. */
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
