/** What an item may not share with another that changes something: identifiers, people, addresses. */
export type ItemKeys = { readonly keys: readonly string[]; readonly changesPeople: boolean }

/**
 * The items that can be carried out together, of items in the order of acceptance: those that share nothing with an item before
 * them that changes something, whether it is carried out now or left for a later round. So each sees what those before it have done.
 */
export function independentItems<Item extends ItemKeys>(items: readonly Item[]): Item[] {
  const touched = new Set<string>()
  return items.filter(({ keys, changesPeople }) => {
    const free = keys.every((key) => !touched.has(key))
    if (changesPeople || !free) for (const key of keys) touched.add(key)
    return free
  })
}
