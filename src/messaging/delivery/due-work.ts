import { countedWords, dueCountMax } from '../../base/work/due-words.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { countDueMessages, findNextMessage, hasDueMessages } from './due-store.ts'

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
    async describeDue(tx, dueMs) {
      const count = await countDueMessages(tx, dueMs, dueCountMax)
      if (count === 0) return undefined
      const words = countedWords(count, 'message is sent', 'messages are sent')
      return { named: words, plain: words }
    },
    listDue: async (tx, nowMs) => ((await hasDueMessages(tx, nowMs)) ? [deliverer] : []),
  }
}
