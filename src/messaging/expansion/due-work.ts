import type { DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findNextDue, listDueKinds } from './due-store.ts'
import type { SkippedFlows } from './skipped-flows.ts'

/** Returns the due work of the expansion: plans of recurring schedules, and slots of orders. */
export function expansionWork(planner: Loop, expander: Loop, skipped: SkippedFlows): DueWork {
  return {
    async nextDueMs(tx) {
      const nextUs = await findNextDue(tx, skipped.list())
      return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
    },
    async listDue(tx, nowMs) {
      const due = await listDueKinds(tx, nowMs, skipped.list())
      return [...(due.has('plans') ? [planner] : []), ...(due.has('slots') ? [expander] : [])]
    },
  }
}
