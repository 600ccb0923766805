/** A time, epoch milliseconds without its end, in which clocks of a zone are as far ahead of UTC all the while. */
export type ZoneSpan = { readonly fromMs: number; readonly untilMs: number; readonly offsetMs: number }

const zonesMax = 1_000
/** The last one that was asked for, by zone: most are asked for the same one, and finding it takes longer than everything else. */
const lately = new Map<string, ZoneSpan>()

/** The span in which an instant lies: from one change of the clocks to the next. Pure but for what it remembers. */
export function spanAt(ms: number, zone: string): ZoneSpan {
  const before = lately.get(zone)
  if (before && ms >= before.fromMs && ms < before.untilMs) return before
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  const span = {
    // The change before this instant, or at it.
    fromMs: at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    untilMs: at.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: at.offsetNanoseconds / 1e6,
  }
  if (lately.size >= zonesMax) lately.clear()
  lately.set(zone, span)
  return span
}
