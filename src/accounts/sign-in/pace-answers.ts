import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../base/clock.ts'
import { unavailable } from '../../base/errors.ts'
import { networkOf, windowMs } from './limit-attempts.ts'

/** Answers of one network per window that may turn out to be unconfirmed before its further answers are paced. */
export const unconfirmedMax = 60
/** The time between two requests to the identity provider for a network that is paced. */
export const paceMs = 500
/** The longest time that an answer waits for its turn. */
export const turnWaitMsMax = 3_000
/** Networks that a process counts at a time. With more, the one that has been counted longest is forgotten. */
export const pacedNetworksMax = 10_000

/** Spaces out the requests to the identity provider for networks with many unconfirmed answers. Counters are in memory, per process. */
export type AnswerPace = {
  /**
   * Asks the provider about an answer that came from this IP address, at once or when it is the turn of the answer. Throws 503 with
   * `Retry-After` when it would wait for too long; then the provider was not asked.
   */
  run<T>(ip: string, ask: () => Promise<T>): Promise<T>
}

/** `unconfirmed`: answers that failed or are being asked about · `nextMs`: when the next paced one has its turn. */
type Network = { unconfirmed: number; readonly endMs: number; nextMs: number }

/**
 * Opens the pace of answers. Only the provider knows whether an answer is valid, so no answer is refused for the failures of its network:
 * it waits. Each request is counted before it is sent, so that many at once are paced too.
 */
export function openAnswerPace(
  clock: Pick<Clock, 'elapsed'>,
  wait: (ms: number) => Promise<unknown> = pause,
): AnswerPace {
  const networks = new Map<string, Network>()

  function networkAt(ip: string): Network {
    const name = networkOf(ip)
    const nowMs = clock.elapsed()
    const known = networks.get(name)
    if (known && known.endMs > nowMs) return known
    // Deleted first, so that the oldest one is the first of the map.
    networks.delete(name)
    if (networks.size >= pacedNetworksMax) networks.delete(networks.keys().next().value!)
    const network = { unconfirmed: 0, endMs: nowMs + windowMs, nextMs: nowMs }
    networks.set(name, network)
    return network
  }

  return {
    async run(ip, ask) {
      const network = networkAt(ip)
      if (network.unconfirmed >= unconfirmedMax) await wait(takeTurn(network, clock.elapsed()))
      network.unconfirmed++
      const answer = await ask()
      network.unconfirmed--
      return answer
    },
  }
}

/** Returns how long the next answer waits. */
function takeTurn(network: Network, nowMs: number): number {
  const turnMs = Math.max(network.nextMs, nowMs)
  const waitMs = turnMs - nowMs
  if (waitMs > turnWaitMsMax) throw unavailable('Many people sign in here', undefined, Math.ceil(turnWaitMsMax / 1000))
  network.nextMs = turnMs + paceMs
  return waitMs
}
