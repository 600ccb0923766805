/** The identifiers, people and addresses that an item touches. */
export type ItemKeys = { readonly keys: readonly string[]; readonly changesPeople: boolean }

/**
 * Returns the items that can be carried out together. Items are given in the order of acceptance; one is left for later when it shares a
 * key with an earlier item that changes people or that is left for later itself. So every item sees what earlier ones have done.
 */
export function independentItems<Item extends ItemKeys>(items: readonly Item[]): Item[] {
  const touched = new Set<string>()
  return items.filter(({ keys, changesPeople }) => {
    const free = keys.every((key) => !touched.has(key))
    if (changesPeople || !free) for (const key of keys) touched.add(key)
    return free
  })
}
