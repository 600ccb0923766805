/** What an item may not share with another that changes something: identifiers, people, addresses. */
export type Keyed = { readonly keys: readonly string[]; readonly acts: boolean }

/**
 * The items that can be carried out together, of items in the order of acceptance: those that share nothing with an item before
 * them that changes something, whether it is carried out now or left for a later round. So each sees what those before it have done.
 */
export function firstRound<Item extends Keyed>(items: readonly Item[]): Item[] {
  const touched = new Set<string>()
  return items.filter(({ keys, acts }) => {
    const free = keys.every((key) => !touched.has(key))
    if (acts || !free) for (const key of keys) touched.add(key)
    return free
  })
}
