import type { Candidate } from '../identity/directory.ts'
import type { Person } from '../identity/person.ts'
import type { Priority } from '../identity/prioritization.ts'
import type { WorkOutcome } from './work-schema.ts'

/** Applies the priorities in turn. Returns the remaining person, or the outcome when not exactly one remains. */
export function chooseCandidate(
  candidates: readonly Candidate[],
  prioritization: readonly Priority[],
): Person | WorkOutcome {
  let left = candidates
  for (const priority of prioritization) left = filterBy(left, priority)
  if (left.length > 1) return 'several_matched'
  return left[0]?.person ?? 'nobody_matched'
}

function filterBy(left: readonly Candidate[], priority: Priority): readonly Candidate[] {
  switch (priority) {
    case 'identified':
      return left.filter(({ identified }) => identified)
    case 'unidentified':
      return left.filter(({ identified }) => !identified)
    case 'most_recently_updated':
      return withStamp(left, Math.max)
    case 'least_recently_updated':
      return withStamp(left, Math.min)
  }
}

function withStamp(left: readonly Candidate[], pick: (...stamps: number[]) => number): readonly Candidate[] {
  const wantedUs = pick(...left.map(({ updatedUs }) => updatedUs))
  return left.filter(({ updatedUs }) => updatedUs === wantedUs)
}

/** A search by which the first rows are enough for `chooseCandidate`. */
export type CandidateSearch = {
  /** true: people with an external_id; false: people without; null: both. */
  identified: boolean | null
  /** The order by the time of the last update. */
  first: 'latest' | 'earliest' | 'any'
}

/**
 * Returns the search for these priorities. It stops at the first priority about time: later ones only choose among people with the same
 * time.
 */
export function searchFor(prioritization: readonly Priority[]): CandidateSearch {
  let identified: boolean | null = null
  for (const priority of prioritization) {
    if (priority === 'most_recently_updated') return { identified, first: 'latest' }
    if (priority === 'least_recently_updated') return { identified, first: 'earliest' }
    identified = priority === 'identified'
  }
  return { identified, first: 'any' }
}
