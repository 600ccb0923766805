import { firstZone, toTimeZone } from '../../people/values/time-zones.ts'
import type { Recurrence } from './flow.ts'

/**
 * A time of a recurrence. `local`: the local time, `YYYY-MM-DDTHH:MM`. `zone`: its time zone, or `local` for the time zone of each person.
 * `firstMs`: the earliest instant at which it comes, epoch milliseconds.
 */
export type RecurrenceTime = { readonly local: string; readonly firstMs: number; readonly zone: string }

/**
 * Returns the times of a recurrence whose `firstMs` is at or after `fromMs` and before `untilMs`, in order. In a gap of the local time
 * a time is later by the length of the gap; in an overlap it is the first instant. A zone that is no longer known counts as that of the
 * workspace. Epoch milliseconds. Pure.
 */
export function recurrenceTimes(
  { at, days, zone, from, until }: Recurrence,
  workspaceZone: string,
  fromMs: number,
  untilMs: number,
): RecurrenceTime[] {
  const isLocal = zone === 'local'
  const where = isLocal ? firstZone : (toTimeZone(zone) ?? workspaceZone)
  // A time in a gap at midnight comes on the day after its date.
  let date = later(dateAt(fromMs, where).subtract({ days: 1 }), from)
  const occurrences: RecurrenceTime[] = []
  for (; until === undefined || Temporal.PlainDate.compare(date, until) <= 0; date = date.add({ days: 1 })) {
    const local = `${date}T${at}`
    const firstMs = Temporal.PlainDateTime.from(local).toZonedDateTime(where).epochMilliseconds
    if (firstMs >= untilMs) break
    if (firstMs < fromMs || (days.length > 0 && !days.includes(date.dayOfWeek))) continue
    occurrences.push({ local, firstMs, zone: isLocal ? zone : where })
  }
  return occurrences
}

function dateAt(ms: number, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate()
}

function later(date: Temporal.PlainDate, from: string | undefined): Temporal.PlainDate {
  return from !== undefined && Temporal.PlainDate.compare(date, from) < 0 ? Temporal.PlainDate.from(from) : date
}
