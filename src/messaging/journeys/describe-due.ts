import type { Tx } from '../../base/db/db.ts'
import { countedWords, dueCountMax, flowWords } from '../../base/work/due-words.ts'
import type { DueWords } from '../../base/work/due-work.ts'
import { type DueInFlow, listDueByFlow } from './due-store.ts'

/** Says which people go on in a canvas by an instant. */
export async function describeDueJourneys(tx: Tx, dueMs: number): Promise<DueWords | undefined> {
  const due = await listDueByFlow(tx, dueMs, dueCountMax)
  return flowsWords(due, (count) => countedWords(count, 'person goes on', 'people go on'))
}

function flowsWords([first, ...others]: readonly DueInFlow[], words: (count: number) => string): DueWords | undefined {
  if (first === undefined) return undefined
  const { named, plain } = flowWords(`${words(first.count)} in {flow}`, first)
  const more = others.length === 0 ? '' : `, and others in ${countedWords(others.length, 'other flow', 'other flows')}`
  return { named: named + more, plain: plain + more }
}
