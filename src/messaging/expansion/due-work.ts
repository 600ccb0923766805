import { flowWords, joinWords } from '../../base/work/due-words.ts'
import type { DueWords, DueWork } from '../../base/work/due-work.ts'
import type { Loop } from '../../base/work/loop.ts'
import { findFirstPlan, findFirstSlot, findNextDue, listDueKinds } from './due-store.ts'
import type { SkippedFlows } from './skipped-flows.ts'

/** Returns the due work of the expansion: plans of recurring schedules, and slots of orders. */
export function expansionWork(planner: Loop, expander: Loop, skipped: SkippedFlows): DueWork {
  return {
    async nextDueMs(tx) {
      const nextUs = await findNextDue(tx, skipped.list())
      return nextUs === undefined ? undefined : Math.ceil(nextUs / 1000)
    },
    async describeDue(tx, dueMs) {
      const slot = await findFirstSlot(tx, dueMs)
      const plan = await findFirstPlan(tx, dueMs, skipped.list())
      const words = [slot && slotWords(slot), plan && flowWords('the next time of {flow} is planned', plan)]
      return joinWords(words.filter((each) => each !== undefined))
    },
    async listDue(tx, nowMs) {
      const due = await listDueKinds(tx, nowMs, skipped.list())
      return [...(due.has('plans') ? [planner] : []), ...(due.has('slots') ? [expander] : [])]
    },
  }
}

function slotWords({ kind, name }: { kind: 'canvas' | 'campaign' | null; name: string | null }): DueWords {
  if (kind === null || name === null)
    return { named: 'a send over the API begins', plain: 'a send over the API begins' }
  const sentence = kind === 'canvas' ? 'people enter {flow}' : '{flow} is sent'
  return flowWords(sentence, { kind, name })
}
