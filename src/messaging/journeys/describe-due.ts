import type { Tx } from '../../base/db/db.ts'
import { countedWords, dueCountMax, flowWords, joinWords } from '../../base/work/due-words.ts'
import type { DueWords } from '../../base/work/due-work.ts'
import { type DueInFlow, listDueByFlow } from './due-store.ts'

/** Says which people go on in a canvas, and which webhooks are called, by an instant. */
export async function describeDueJourneys(tx: Tx, dueMs: number): Promise<DueWords | undefined> {
  const due = await listDueByFlow(tx, dueMs, dueCountMax)
  const [calls, moves] = [due.filter(({ is_call }) => is_call), due.filter(({ is_call }) => !is_call)]
  const words = [
    flowsWords(moves, (count) => countedWords(count, 'person goes on', 'people go on')),
    flowsWords(calls, (count) => countedWords(count, 'webhook is called', 'webhooks are called')),
  ]
  return joinWords(words.filter((each) => each !== undefined))
}

function flowsWords([first, ...others]: readonly DueInFlow[], words: (count: number) => string): DueWords | undefined {
  if (first === undefined) return undefined
  const { named, plain } = flowWords(`${words(first.count)} in {flow}`, first)
  const more = others.length === 0 ? '' : `, and others in ${countedWords(others.length, 'other flow', 'other flows')}`
  return { named: named + more, plain: plain + more }
}
