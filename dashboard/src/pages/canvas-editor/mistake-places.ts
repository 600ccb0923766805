import { type Definition, isMembers, listAt } from '../../canvas/edit/ways.ts'
import type { Mistake } from '../../draft/mistakes.ts'

/** Returns the id of the step that a mistake is about; empty for the entry. Pure. */
export function stepOf(document: Definition, { path }: Mistake): string {
  const [first, index] = path
  if (first !== 'steps' || typeof index !== 'number') return ''
  const step = listAt(document, ['steps'])[index]
  return isMembers(step) && typeof step.id === 'string' ? step.id : ''
}

/** Returns how many mistakes each step has, by its id; those of the entry under the empty id. Pure. */
export function countProblems(document: Definition, mistakes: readonly Mistake[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const mistake of mistakes) {
    const step = stepOf(document, mistake)
    counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  return counts
}

/** Returns where a mistake is, in the words of the reader. Pure. */
export function placeOf(document: Definition, mistake: Mistake): string {
  const id = stepOf(document, mistake)
  if (id === '') return mistake.path[0] === 'steps' ? 'Steps' : 'Canvas'
  const step = listAt(document, ['steps'])[mistake.path[1] as number]
  return isMembers(step) && typeof step.name === 'string' && step.name !== '' ? step.name : id
}
