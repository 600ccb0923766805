import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findNextMessage, hasDueMessages } from './due-store.ts'

/** Mail may be on its way. To look again at once would take the machine from it. */
const pauseMs = 2

/** Messages that are due. */
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
