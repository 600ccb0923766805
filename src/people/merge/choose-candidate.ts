import type { Candidate } from '../identity/directory.ts'
import type { Person } from '../identity/person.ts'
import type { Priority } from '../identity/prioritization.ts'
import type { Outcome } from './work-schema.ts'

/** The one of some people who is left when each priority has narrowed them in turn; several or nobody when it is not one. */
export function choose(candidates: readonly Candidate[], prioritization: readonly Priority[]): Person | Outcome {
  let left = candidates
  for (const priority of prioritization) left = narrowed(left, priority)
  if (left.length > 1) return 'several_matched'
  return left[0]?.person ?? 'nobody_matched'
}

function narrowed(left: readonly Candidate[], priority: Priority): readonly Candidate[] {
  switch (priority) {
    case 'identified':
      return left.filter(({ identified }) => identified)
    case 'unidentified':
      return left.filter(({ identified }) => !identified)
    case 'most_recently_updated':
      return thoseAt(left, Math.max)
    case 'least_recently_updated':
      return thoseAt(left, Math.min)
  }
}

function thoseAt(left: readonly Candidate[], pick: (...stamps: number[]) => number): readonly Candidate[] {
  const wantedUs = pick(...left.map(({ updatedUs }) => updatedUs))
  return left.filter(({ updatedUs }) => updatedUs === wantedUs)
}

/** What storage has to look for so that `choose` can decide over the first few of a crowd. */
export type Search = {
  /** Only people with an external_id, only those without, or both. */
  identified: boolean | null
  /** Which come first: the latest updated, the earliest, or just any. */
  first: 'latest' | 'earliest' | 'any'
}

/** The priorities up to the first that asks for a moment: those after it choose among people of one moment. */
export function searchFor(prioritization: readonly Priority[]): Search {
  let identified: boolean | null = null
  for (const priority of prioritization) {
    if (priority === 'most_recently_updated') return { identified, first: 'latest' }
    if (priority === 'least_recently_updated') return { identified, first: 'earliest' }
    identified = priority === 'identified'
  }
  return { identified, first: 'any' }
}
