/** The identifiers, people and addresses that an item reads or changes. */
export type ItemKeys = { readonly keys: readonly string[]; readonly changesPeople: boolean }

/**
 * Returns the items that can be carried out together. `items` is in the order of acceptance. An item is postponed when it shares a key with
 * an earlier item that changes people or is postponed itself. So every item sees the effects of earlier items.
 */
export function independentItems<Item extends ItemKeys>(items: readonly Item[]): Item[] {
  const blocked = new Set<string>()
  return items.filter(({ keys, changesPeople }) => {
    const free = keys.every((key) => !blocked.has(key))
    if (changesPeople || !free) for (const key of keys) blocked.add(key)
    return free
  })
}
