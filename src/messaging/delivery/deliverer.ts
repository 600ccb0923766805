import type { Loop } from '../../base/work/loop.ts'
import type { MailTrouble } from './breaker.ts'

export type Deliverer = Loop & {
  /** Returns whether the breaker is open because the server cannot be reached, also while a single mail tests it. */
  isSparing(): boolean
  /** Returns why the mail server was not reached by the last mail; undefined when it was, and without a mail server. */
  trouble(): MailTrouble | undefined
  /** Mails that were handed over and have no outcome yet. */
  inFlight(): number
  /** Returns whether it works on a message. */
  holds(message_id: string): boolean
}

/** Returns two deliverers as one: one to the mail server, one to the inbox. */
export function joinDeliverers(server: Deliverer, inbox: Deliverer): Deliverer {
  const both = [server, inbox]
  return {
    name: server.name,
    wake() {
      for (const each of both) each.wake()
    },
    nextTurn: async () => void (await Promise.all(both.map((each) => each.nextTurn()))),
    failing: () => both.some((each) => each.failing()),
    isSparing: server.isSparing,
    trouble: server.trouble,
    inFlight: server.inFlight,
    holds: (message_id) => both.some((each) => each.holds(message_id)),
    close: async () => void (await Promise.all(both.map((each) => each.close()))),
  }
}
