import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { isUnavailable } from '../../base/errors.ts'

/** How long a move waits for a database that does not answer. */
export const awayMsMax = 600_000
const pauseMsMin = 500
const pauseMsMax = 10_000

export type PatienceOptions = {
  readonly clock: Pick<Clock, 'elapsed'>
  /** Called once when a database begins to be away, with the reason, and how long it is waited for at most. */
  onAway?(error: Error, leftMs: number): void
  /** Called once when the work goes on. */
  onBack?(): void
  readonly stopping?: AbortSignal | undefined
  /** Waits; a test needs no time for it. */
  pause?(ms: number): Promise<unknown>
}

/** Repeats work while a database is away, for `awayMsMax` at most, counted from the last progress. */
export class Patience {
  readonly #options: PatienceOptions
  #awaySinceMs: number | undefined
  #pauseMs = pauseMsMin

  constructor(options: PatienceOptions) {
    this.#options = options
  }

  /** Records that both databases answer. */
  progressed(): void {
    if (this.#awaySinceMs === undefined) return
    this.#awaySinceMs = undefined
    this.#pauseMs = pauseMsMin
    this.#options.onBack?.()
  }

  /** Does work that may be repeated from its beginning. Throws its last error when the time is up, and every other error at once. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work()
        this.progressed()
        return result
      } catch (error) {
        if (!isUnavailable(error) || this.#options.stopping?.aborted) throw error
        await this.#wait(error as Error)
      }
    }
  }

  async #wait(error: Error): Promise<void> {
    const { clock, onAway, pause: wait = pause } = this.#options
    const nowMs = clock.elapsed()
    if (this.#awaySinceMs === undefined) {
      this.#awaySinceMs = nowMs
      onAway?.(error, awayMsMax)
    }
    if (nowMs - this.#awaySinceMs >= awayMsMax) throw error
    await wait(this.#pauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, pauseMsMax)
  }
}
