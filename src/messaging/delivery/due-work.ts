import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findNextMessage, hasDueMessages } from './due-store.ts'

/** The pause between two queries for due messages. Without it, the queries would slow down the delivery of mail in flight. */
const pauseMs = 2

/** Returns the due work of the deliverer, for the virtual clock. */
export function deliveryWork(deliverer: Loop): DueWork {
  return {
    pauseMs,
    async nextDueMs(tx) {
      const nextUs = await findNextMessage(tx)
      return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
    },
    listDue: async (tx, nowMs) => ((await hasDueMessages(tx, nowMs)) ? [deliverer] : []),
  }
}
