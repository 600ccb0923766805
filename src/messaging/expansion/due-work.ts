import type { Db } from '../../base/db/db.ts'
import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findNextDue, listDueKinds } from './due-store.ts'
import type { SkippedFlows } from './skipped-flows.ts'

/** Plans of recurring schedules, and slots of orders. */
export function expansionWork(db: Db, planner: Loop, expander: Loop, skipped: SkippedFlows): DueWork {
  return {
    async nextDueMs() {
      const nextUs = await findNextDue(db, skipped.list())
      return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
    },
    async listDue(nowMs) {
      const due = await listDueKinds(db, nowMs, skipped.list())
      return [...(due.has('plans') ? [planner] : []), ...(due.has('slots') ? [expander] : [])]
    },
  }
}
