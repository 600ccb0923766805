/** Gives each entry of a list a key from its text. Equal texts are numbered, so that a repeated entry keeps its place. */
export function keyed<Entry>(entries: readonly Entry[], textOf: (entry: Entry) => string) {
  const seen = new Map<string, number>()
  return entries.map((entry) => {
    const text = textOf(entry)
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    return { entry, key: `${text} ${count}` }
  })
}
