import type { EntryEnd, EntryState } from './entry.ts'

/** What the merge of two people reads of an entry. `n` is the number of the move, from 1. */
export type MergingEntry = {
  readonly n: number
  readonly entry_id: string
  readonly flow_id: number
  readonly dispatch_id: string | null
  readonly state: EntryState
  readonly ended: EntryEnd | null
  readonly visit: number
  readonly is_duplicate: boolean
}

/** What a kept profile has: the flows that it is or was in, and its entries of the same orders. */
export type KeptEntries<E extends MergingEntry> = {
  readonly flows: ReadonlySet<number>
  readonly ordered: readonly E[]
}

/** What becomes of an entry in a merge: whether it ends as merged, and whether it is a duplicate of its order (`is_duplicate`). */
export type ResolvedEntry<E extends MergingEntry> = {
  readonly entry: E
  readonly ends: boolean
  readonly is_duplicate: boolean
}

/**
 * Decides what becomes of the entries of profiles that are merged into one, in one or several moves. Of `kept`, only duplicates
 * are returned. An open entry continues unless the kept profile is or was in its flow, so that no one is in a flow twice because of a
 * merge. Of two entries of one order one counts: that of a person who entered before a refusal, otherwise that of the kept profile. Pure.
 */
export function resolveDuplicateEntries<E extends MergingEntry>(
  merged: readonly E[],
  { flows, ordered }: KeptEntries<E>,
): { merged: ResolvedEntry<E>[]; kept: ResolvedEntry<E>[] } {
  const taken = new Set(flows)
  const counting = new Map(ordered.flatMap((entry) => (entry.dispatch_id ? [[entry.dispatch_id, entry]] : [])))
  const duplicates = new Set(merged.filter((entry) => entry.is_duplicate))
  const ending = new Set<E>()
  for (const [, own] of Map.groupBy(merged, ({ n }) => n)) {
    for (const entry of own) {
      if (isOpen(entry) && taken.has(entry.flow_id)) ending.add(entry)
      const { dispatch_id } = entry
      if (dispatch_id === null || entry.is_duplicate) continue
      const other = counting.get(dispatch_id)
      const goesFirst = other === undefined || (hasEntered(entry) && !ending.has(entry) && !hasEntered(other))
      if (goesFirst) counting.set(dispatch_id, entry)
      const behind = goesFirst ? other : entry
      if (behind) duplicates.add(behind)
    }
    for (const entry of own) if (isOpen(entry)) taken.add(entry.flow_id)
  }
  const resolve = (entry: E): ResolvedEntry<E> => ({
    entry,
    ends: ending.has(entry),
    is_duplicate: duplicates.has(entry),
  })
  return { merged: merged.map(resolve), kept: ordered.filter((entry) => duplicates.has(entry)).map(resolve) }
}

function isOpen({ state }: MergingEntry): boolean {
  return state !== 'ended'
}

/** A refusal is an entry that never arrived at a step. */
function hasEntered({ state, visit, ended }: MergingEntry): boolean {
  return state !== 'ended' || visit > 0 || ended === 'control_group'
}
