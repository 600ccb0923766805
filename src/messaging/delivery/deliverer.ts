import type { Loop } from '../../base/work/loop.ts'
import type { TransportTrouble } from '../messages/transport-outcome.ts'

export type Deliverer = Loop & {
  /** Returns whether the breaker is open because the server cannot be reached, also while a single message tests it. */
  isSparing(): boolean
  /** Returns why the server was not reached by the last message; undefined when it was, and without a server. */
  trouble(workspace_id?: number): TransportTrouble | undefined
  /** Messages that were handed over and have no outcome yet. */
  inFlight(): number
  /** Returns whether it works on a message. */
  holds(message_id: string): boolean
}

/** Returns deliverers as one loop: one to each server, and one to the inbox. */
export function joinDeliverers(all: readonly Deliverer[]): Omit<Deliverer, 'isSparing' | 'trouble'> {
  return {
    name: all[0]!.name,
    wake() {
      for (const each of all) each.wake()
    },
    nextTurn: async () => void (await Promise.all(all.map((each) => each.nextTurn()))),
    failing: () => all.some((each) => each.failing()),
    inFlight: () => all.reduce((sum, each) => sum + each.inFlight(), 0),
    holds: (message_id) => all.some((each) => each.holds(message_id)),
    close: async () => void (await Promise.all(all.map((each) => each.close()))),
  }
}
