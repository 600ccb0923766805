/** A span (epoch milliseconds, end excluded) in which the offset of a zone from UTC does not change. */
export type ZoneSpan = { readonly fromMs: number; readonly untilMs: number; readonly offsetMs: number }

const zonesMax = 1_000
/** The last span by zone: most calls need the same one, and finding it is the slowest step. */
const lastSpans = new Map<string, ZoneSpan>()

/** Returns the span that contains an instant, from one change of the clocks to the next. */
export function spanAt(ms: number, zone: string): ZoneSpan {
  const before = lastSpans.get(zone)
  if (before && ms >= before.fromMs && ms < before.untilMs) return before
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const span = {
    // The last change at or before this instant.
    fromMs: at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilMs: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: at.offsetNanoseconds / 1e6,
  }
  if (lastSpans.size >= zonesMax) lastSpans.clear()
  lastSpans.set(zone, span)
  return span
}
