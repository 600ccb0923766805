/** The five years whose clock changes are tested. */
export const fromMs = Date.UTC(2026, 0, 1)
export const untilMs = Date.UTC(2031, 0, 1)

type Span = { readonly fromMs: number; readonly offsetMs: number }

/** The local times of a zone in these years, computed from its offsets and their changes only. */
export class ZoneClock {
  readonly zone: string
  readonly #spans: readonly Span[]

  constructor(zone: string) {
    this.zone = zone
    const spans: Span[] = []
    let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(zone)
    while (at && at.epochMilliseconds < untilMs) {
      const startMs = spans.length === 0 ? Number.NEGATIVE_INFINITY : at.epochMilliseconds
      spans.push({ fromMs: startMs, offsetMs: at.offsetNanoseconds / 1e6 })
      at = at.getTimeZoneTransition('next')
    }
    this.#spans = spans
  }

  get changesMs(): number[] {
    return this.#spans.slice(1).map((span) => span.fromMs)
  }

  /** What clocks show at an instant, as if it were UTC. */
  shownAt(ms: number): number {
    return ms + this.#spans.findLast((span) => span.fromMs <= ms)!.offsetMs
  }

  /** The first instant at which clocks show this; of what they never show, because they are set forward, the instant without that. */
  instantOf(shownMs: number): number {
    const shown = this.#spans.map(({ offsetMs }) => shownMs - offsetMs).filter((ms) => this.shownAt(ms) === shownMs)
    if (shown.length > 0) return Math.min(...shown)
    const after = this.#spans.findIndex(({ fromMs, offsetMs }) => shownMs < fromMs + offsetMs)
    return shownMs - this.#spans[after - 1]!.offsetMs
  }
}

/** The clocks of every zone in which they are set, and of some in which they stay as they are. */
export function allClocks(): ZoneClock[] {
  const clocks = Intl.supportedValuesOf('timeZone').map((zone) => new ZoneClock(zone))
  const still = ['UTC', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Etc/GMT+12', 'America/Sao_Paulo']
  return [...clocks.filter(({ changesMs }) => changesMs.length > 0), ...still.map((zone) => new ZoneClock(zone))]
}
