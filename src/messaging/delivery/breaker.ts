/** Failures to reach the server in a row after which nobody tries for a while. */
export const failuresMax = 5
const openMsMin = 1_000
const openMsMax = 60_000

export type Breaker = {
  /** How many mails may be on their way at once: any number, one to find out, or none. */
  allowed(): number
  /** How a delivery went: whether the server was there to talk to. */
  record(reached: boolean): void
}

/**
 * Spares a server that cannot be reached or will not let us in. It opens after `failuresMax` failures in a row; after a pause, which
 * grows from try to try, a single mail finds out whether the server is back. By machine time (`elapsed`).
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
      // What failed together counts as one try.
      if (!isOpen() || elapsed() < untilMs) return
      openMs = Math.min(Math.max(openMs * 2, openMsMin), openMsMax)
      untilMs = elapsed() + openMs
    },
  }
}
