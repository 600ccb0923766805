import { firstZone, toTimeZone } from '../../people/values/time-zones.ts'
import type { Recurrence } from './flow.ts'

/** `local`: what clocks show then, `YYYY-MM-DDTHH:MM`. `zone`: where; `local`: wherever each person lives. */
export type RecurrenceTime = { readonly local: string; readonly firstMs: number; readonly zone: string }

/**
 * The times of a recurrence whose first moment anywhere, `firstMs`, is from `fromMs` on and before `untilMs`, in order. Where clocks
 * are set forward over one it is as much later; where they show it twice the first time is meant. A zone that is no longer known is
 * the workspace's. Epoch milliseconds. Pure.
 */
export function recurrenceTimes(
  { at, days, zone, from, until }: Recurrence,
  workspaceZone: string,
  fromMs: number,
  untilMs: number,
): RecurrenceTime[] {
  const isLocal = zone === 'local'
  const where = isLocal ? firstZone : (toTimeZone(zone) ?? workspaceZone)
  // What is set forward over midnight comes on the day after its own.
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
