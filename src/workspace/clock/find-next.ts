import type { Db } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { joinWords } from '../../base/work/due-words.ts'
import type { DueWords, DueWork } from '../../base/work/due-work.ts'

/** What becomes due next, and when: epoch milliseconds, which have passed for work that waits. */
export type NextDue = { readonly dueMs: number; readonly words: DueWords }

/** Finds what becomes due next among all work, in one snapshot. Undefined when nothing will. */
export function findNext(db: Db, works: readonly DueWork[]): Promise<NextDue | undefined> {
  return db.transaction(
    async (tx) => {
      const dues: { work: DueWork; dueMs: number }[] = []
      for (const work of works) {
        const dueMs = await work.nextDueMs(tx)
        if (dueMs !== undefined) dues.push({ work, dueMs })
      }
      if (dues.length === 0) return undefined
      const dueMs = Math.min(...dues.map((due) => due.dueMs))
      const words: DueWords[] = []
      for (const due of dues.filter((each) => each.dueMs === dueMs)) {
        const described = await due.work.describeDue(tx, dueMs)
        if (described) words.push(described)
      }
      const all = joinWords(words)
      return all && { dueMs, words: all }
    },
    { settings: readOnlySnapshot },
  )
}
