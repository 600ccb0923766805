import { spanAt } from '../../people/values/zone-spans.ts'

/** Times of day, `HH:MM`, that may span midnight. The end is exclusive; the same time twice means no quiet hours. */
export type QuietHours = { readonly start: string; readonly end: string }

const dayMs = 86_400_000
const minuteMs = 60_000

/**
 * Returns when the quiet hours in `zone` end, epoch milliseconds, or undefined when it is not quiet now. Follows local time: an hour that
 * daylight saving repeats is quiet twice, and a clock that is set forward over the end has passed it. Pure.
 */
export function quietUntil({ start, end }: QuietHours, nowMs: number, zone: string): number | undefined {
  const [fromMs, untilMs] = [msOf(start), msOf(end)]
  for (let ms = nowMs; ; ) {
    const span = spanAt(ms, zone)
    const timeMs = (((ms + span.offsetMs) % dayMs) + dayMs) % dayMs
    if (!isBetween(timeMs, fromMs, untilMs)) return ms === nowMs ? undefined : ms
    const endMs = ms + ((untilMs - timeMs + dayMs) % dayMs)
    if (endMs < span.untilMs) return endMs
    ms = span.untilMs
  }
}

function isBetween(timeMs: number, fromMs: number, untilMs: number): boolean {
  return fromMs <= untilMs ? timeMs >= fromMs && timeMs < untilMs : timeMs >= fromMs || timeMs < untilMs
}

/** Milliseconds since midnight. */
function msOf(time: string): number {
  return (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * minuteMs
}
