import type { Clock } from '../../base/clock.ts'

/** How long the schedule of a flow is skipped after planning failed, in machine time. */
const skippedMs = 60 * 60_000

/** Flows whose schedules could not be planned because of a defect. This process skips them for a while, so that others are planned. */
export class SkippedFlows {
  readonly #clock: Clock
  readonly #untilMs = new Map<number, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(flow_id: number): void {
    this.#untilMs.set(flow_id, this.#clock.elapsed() + skippedMs)
  }

  /** Returns the ids of the flows that are skipped now and for the next `aheadMs`. */
  list(aheadMs = 0): number[] {
    const elapsedMs = this.#clock.elapsed()
    for (const [flow_id, untilMs] of this.#untilMs) if (untilMs <= elapsedMs) this.#untilMs.delete(flow_id)
    return [...this.#untilMs].flatMap(([flow_id, untilMs]) => (untilMs > elapsedMs + aheadMs ? [flow_id] : []))
  }
}
