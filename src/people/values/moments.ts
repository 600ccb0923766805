const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{3})(\d{3})?)?Z$/

/**
 * Formats epoch microseconds of the years 0 to 9999 as ISO 8601 in UTC: `2026-08-01T10:00:00.123Z`, with six digits if there are
 * microseconds.
 */
export function formatMoment(us: number): string {
  // Above 2^53 a number may be exact, but sums with it are not.
  const whole = BigInt(us)
  const rest = ((whole % 1000n) + 1000n) % 1000n
  const text = new Date(Number((whole - rest) / 1000n)).toISOString()
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}

/** Parses such a text into epoch microseconds, to the precision of a number; undefined if it is not one. */
export function parseMoment(text: string): number | undefined {
  const [whole, milli = '000', micro = '000'] = form.exec(text) ?? []
  if (whole === undefined) return undefined
  const seconds = text.slice(0, 19)
  const ms = Date.parse(`${seconds}.${milli}Z`)
  // `Date.parse` reads a day that the month does not have as one of the next month.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(seconds)) return undefined
  return Number(BigInt(ms) * 1000n + BigInt(micro))
}
