/** Failures in a row to reach the server that open the breaker. */
export const failuresMax = 5
const openMsMin = 1_000
const openMsMax = 60_000

export type Breaker = {
  /** Returns how many mails may be in flight at once: any number, one as a test, or none. */
  allowed(): number
  /** Records whether a delivery reached the server. */
  record(reached: boolean): void
}

/**
 * Stops deliveries to a server that cannot be reached or refuses the connection. The breaker opens after `failuresMax` failures in a row.
 * After a pause, a single mail tests the server; each pause is longer than the one before. `elapsed` is machine time.
 */
export function openBreaker(elapsed: () => number): Breaker {
  let failures = 0
  let openMs = 0
  let untilMs = 0
  const isOpen = () => failures >= failuresMax
  return {
    allowed: () => (!isOpen() ? Number.POSITIVE_INFINITY : elapsed() >= untilMs ? 1 : 0),
    record(reached) {
      failures = reached ? 0 : failures + 1
      if (reached) openMs = 0
      // Deliveries that failed at the same time count as one try.
      if (!isOpen() || elapsed() < untilMs) return
      openMs = Math.min(Math.max(openMs * 2, openMsMin), openMsMax)
      untilMs = elapsed() + openMs
    },
  }
}
