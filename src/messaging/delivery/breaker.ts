import type { TransportTrouble } from '../messages/transport-outcome.ts'

/** Failures in a row to reach the server that open the breaker. */
export const failuresMax = 5
const openMsMin = 1_000
const openMsMax = 60_000

export type Breaker = {
  /** Returns how many messages may be in flight at once: any number, one as a test, or none. */
  allowed(): number
  /** Records a delivery: why it did not reach the server, or undefined when it did. */
  record(cause: string | undefined): void
  /** Returns undefined while the last delivery has reached the server, and before the first one. */
  trouble(): TransportTrouble | undefined
}

/**
 * Stops deliveries to a server that cannot be reached or refuses the connection. The breaker opens after `failuresMax` failures in a row.
 * After a pause, a single message tests the server; each pause is longer than the one before. `elapsed` is machine time. `onRecord` is
 * called after each delivery.
 */
export function openBreaker(
  elapsed: () => number,
  onRecord?: (trouble: TransportTrouble | undefined) => void,
): Breaker {
  let failures = 0
  let lastCause = ''
  let openMs = 0
  let untilMs = 0
  const isOpen = () => failures >= failuresMax
  const trouble = () => (failures === 0 ? undefined : { cause: lastCause, isOpen: isOpen() })
  return {
    allowed: () => (!isOpen() ? Number.POSITIVE_INFINITY : elapsed() >= untilMs ? 1 : 0),
    record(cause) {
      failures = cause === undefined ? 0 : failures + 1
      if (cause === undefined) openMs = 0
      else lastCause = cause
      // Deliveries that failed at the same time count as one try.
      if (isOpen() && elapsed() >= untilMs) {
        openMs = Math.min(Math.max(openMs * 2, openMsMin), openMsMax)
        untilMs = elapsed() + openMs
      }
      onRecord?.(trouble())
    },
    trouble,
  }
}
