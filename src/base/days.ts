const dayMs = 24 * 60 * 60 * 1000

/** Returns the day (`yyyy-MM-dd`) of an instant in a time zone. */
export function dayOf(ms: number, zone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate().toString()
}

export function daysBefore(day: string, days: number): string {
  return Temporal.PlainDate.from(day).subtract({ days }).toString()
}

/** Returns when a day (`yyyy-MM-dd`) begins in a time zone, epoch milliseconds. */
export function startOfDay(day: string, zone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds
}

/** Returns the noon of a day (`yyyy-MM-dd`) in a time zone, epoch milliseconds. */
export function noonOfDay(day: string, zone: string): number {
  return Temporal.PlainDate.from(day).toZonedDateTime({ timeZone: zone, plainTime: '12:00' }).epochMilliseconds
}

/** Returns a day (`yyyy-MM-dd`) as the number of days since 1970-01-01. */
export function dayNumber(day: string): number {
  return Date.parse(day) / dayMs
}

/** Returns the day with a number of `dayNumber`. */
export function dayFromNumber(number: number): string {
  return new Date(number * dayMs).toISOString().slice(0, 10)
}
