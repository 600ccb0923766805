import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import type { Pipeline } from './pipeline.ts'

/** How long a hand-over waits for more free connections while most are busy: many mails cost little more than one. */
export const gatherMs = 5
/** The longest wait, when transactions take long. */
export const gatherMsMax = 50
/** While at most this share of the connections is busy, a hand-over does not wait. */
const busyShare = 1 / 4

/**
 * Lets hand-overs wait for more free connections. A wait is as long as the last transaction took, from `gatherMs` to `gatherMsMax`: while
 * the database is slow, few large transactions get more mails to the server than many small ones.
 */
export class Gathering {
  readonly #busyMax: number
  readonly #leastMs: number
  readonly #clock: Pick<Clock, 'elapsed'>
  #lastMs = 0

  constructor(clock: Pick<Clock, 'elapsed'>, connections: number, leastMs = gatherMs) {
    this.#clock = clock
    this.#busyMax = Math.floor(connections * busyShare)
    this.#leastMs = leastMs
  }

  /** How long the next wait takes at most, in milliseconds. */
  get waitMs(): number {
    return Math.min(Math.max(this.#leastMs, this.#lastMs), gatherMsMax)
  }

  /** Waits for free connections. */
  async wait(pipeline: Pick<Pipeline, 'untilInFlight'>): Promise<void> {
    await Promise.race([pipeline.untilInFlight(this.#busyMax), pause(this.waitMs)])
  }

  /** Runs the transaction of a hand-over. */
  async run<T>(handOver: () => Promise<T>): Promise<T> {
    const startedMs = this.#clock.elapsed()
    try {
      return await handOver()
    } finally {
      this.#lastMs = this.#clock.elapsed() - startedMs
    }
  }
}
