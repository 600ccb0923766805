import type { Db } from '../../base/db/db.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findNextMessage, hasDueMessages } from './due-store.ts'

/** Mail may be on its way. To look again at once would take the machine from it. */
const pauseMs = 2

/** Messages that are due. */
export function deliveryWork(db: Db, deliverer: Loop): DueWork {
  return {
    pauseMs,
    async nextDueMs() {
      const nextUs = await findNextMessage(db)
      return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
    },
    listDue: async (nowMs) => ((await hasDueMessages(db, nowMs)) ? [deliverer] : []),
  }
}
