const date = '(?:\\d{1,4}Y)?(?:\\d{1,4}M)?(?:\\d{1,4}W)?(?:\\d{1,5}D)?'
const time = 'T(?=\\d)(?:\\d{1,6}H)?(?:\\d{1,7}M)?(?:\\d{1,9}(?:\\.\\d{1,3})?S)?'

/** An ISO 8601 length of time, whole units except for seconds; each number is bounded, so that adding it to a date cannot overflow. */
export const durationPattern = `^P(?=[\\dT])${date}(?:${time})?$`

/** The same without hours and smaller: how long something is kept. */
export const retentionPattern = `^P(?=\\d)${date}$`

/** The same without years and months, which have no fixed length: P1D is 24 hours. */
export const elapsedPattern = durationPattern.replace('(?:\\d{1,4}Y)?(?:\\d{1,4}M)?', '')

/** Milliseconds of a length of time without years and months; undefined when it is none. */
export function elapsedMs(duration: string): number | undefined {
  if (!new RegExp(elapsedPattern).test(duration)) return undefined
  const { weeks, days, hours, minutes, seconds, milliseconds } = Temporal.Duration.from(duration)
  const elapsed = { days: weeks * 7 + days, hours, minutes, seconds, milliseconds }
  return Temporal.Duration.from(elapsed).total('milliseconds')
}

/** The instant `duration` after `ms` (epoch milliseconds); months and years are calendar ones in UTC. */
export function timeAfter(ms: number, duration: string): number {
  return utc(ms).add(Temporal.Duration.from(duration)).epochMilliseconds
}

/** The instant `duration` before `ms` (epoch milliseconds): where a retention cuts off. */
export function timeBefore(ms: number, duration: string): number {
  return utc(ms).subtract(Temporal.Duration.from(duration)).epochMilliseconds
}

/** Days in a retention, a month counted as 30 and a year as 365. */
export function roughDays(duration: string): number {
  const { years, months, weeks, days } = Temporal.Duration.from(duration)
  return years * 365 + months * 30 + weeks * 7 + days
}

function utc(ms: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC')
}
