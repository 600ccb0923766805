const date = '(?:\\d{1,4}Y)?(?:\\d{1,4}M)?(?:\\d{1,4}W)?(?:\\d{1,5}D)?'
const time = 'T(?=\\d)(?:\\d{1,6}H)?(?:\\d{1,7}M)?(?:\\d{1,9}(?:\\.\\d{1,3})?S)?'

/** An ISO 8601 duration of whole units, except for seconds. Each number is bounded, so that adding it to a date cannot overflow. */
export const durationPattern = `^P(?=[\\dT])${date}(?:${time})?$`

/** The same without hours and smaller units, for retentions. */
export const retentionPattern = `^P(?=\\d)${date}$`

/** The same without years and months, which have no fixed length: P1D is 24 hours. */
export const elapsedPattern = durationPattern.replace('(?:\\d{1,4}Y)?(?:\\d{1,4}M)?', '')

/** Returns the milliseconds of a duration without years and months; undefined for any other text. */
export function elapsedMs(duration: string): number | undefined {
  if (!new RegExp(elapsedPattern).test(duration)) return undefined
  const { weeks, days, hours, minutes, seconds, milliseconds } = Temporal.Duration.from(duration)
  const elapsed = { days: weeks * 7 + days, hours, minutes, seconds, milliseconds }
  return Temporal.Duration.from(elapsed).total('milliseconds')
}

/** Adds a duration to an instant in epoch milliseconds; months and years are those of the calendar in UTC. */
export function timeAfter(ms: number, duration: string): number {
  return utc(ms).add(Temporal.Duration.from(duration)).epochMilliseconds
}

/** Subtracts a duration from an instant in epoch milliseconds, in the same way. */
export function timeBefore(ms: number, duration: string): number {
  return utc(ms).subtract(Temporal.Duration.from(duration)).epochMilliseconds
}

/** Returns the days of a retention, with 30 days to a month and 365 to a year. */
export function roughDays(duration: string): number {
  const { years, months, weeks, days } = Temporal.Duration.from(duration)
  return years * 365 + months * 30 + weeks * 7 + days
}

function utc(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC')
}
