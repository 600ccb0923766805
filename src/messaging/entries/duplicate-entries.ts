import type { EntryEnd, EntryState } from './entry.ts'

/** An entry as far as it matters when two people become one; `n` counts the moves from 1. */
export type MergingEntry = {
  readonly n: number
  readonly entry_id: string
  readonly flow_id: number
  readonly dispatch_id: string | null
  readonly state: EntryState
  readonly ended: EntryEnd | null
  readonly visit: number
  readonly aside: boolean
}

/** Somebody who stays: the flows that they are or were in, and their entries of the same orders. */
export type KeptEntries<E extends MergingEntry> = {
  readonly flows: ReadonlySet<number>
  readonly ordered: readonly E[]
}

/** What becomes of an entry: whether it ends as merged, and whether it is the one of its order that counts. */
export type ResolvedEntry<E extends MergingEntry> = {
  readonly entry: E
  readonly ends: boolean
  readonly aside: boolean
}

/**
 * What becomes of the entries of people who go up in one who stays (`leaving`, of several moves perhaps); of `staying` only those that
 * are set aside are answered. Nobody is in a flow twice because two people became one: an open entry goes on unless who stays is or was
 * in its flow. Of two entries of one order one counts: that of somebody who entered rather than a refusal, else that of who stays.
 */
export function resolveDuplicateEntries<E extends MergingEntry>(
  leaving: readonly E[],
  { flows, ordered }: KeptEntries<E>,
): { leaving: ResolvedEntry<E>[]; staying: ResolvedEntry<E>[] } {
  const taken = new Set(flows)
  const counting = new Map(ordered.flatMap((entry) => (entry.dispatch_id ? [[entry.dispatch_id, entry]] : [])))
  const aside = new Set(leaving.filter((entry) => entry.aside))
  const ending = new Set<E>()
  for (const [, own] of Map.groupBy(leaving, ({ n }) => n)) {
    for (const entry of own) {
      if (isOpen(entry) && taken.has(entry.flow_id)) ending.add(entry)
      const { dispatch_id } = entry
      if (dispatch_id === null || entry.aside) continue
      const other = counting.get(dispatch_id)
      const goesFirst = other === undefined || (hasEntered(entry) && !ending.has(entry) && !hasEntered(other))
      if (goesFirst) counting.set(dispatch_id, entry)
      const behind = goesFirst ? other : entry
      if (behind) aside.add(behind)
    }
    for (const entry of own) if (isOpen(entry)) taken.add(entry.flow_id)
  }
  const settled = (entry: E): ResolvedEntry<E> => ({ entry, ends: ending.has(entry), aside: aside.has(entry) })
  return { leaving: leaving.map(settled), staying: ordered.filter((entry) => aside.has(entry)).map(settled) }
}

function isOpen({ state }: MergingEntry): boolean {
  return state !== 'ended'
}

/** Whoever was refused has an entry that never came to a step. */
function hasEntered({ state, visit, ended }: MergingEntry): boolean {
  return state !== 'ended' || visit > 0 || ended === 'control_group'
}
