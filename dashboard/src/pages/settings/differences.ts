/** A member that differs between two values. `before` and `after` are written as one line. */
export type Difference = {
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  readonly before: string
  readonly after: string
}

const textMax = 160
/** Differences that are listed of one entry. */
export const differencesMax = 50

/** Lists what differs between two values, member by member. Entries of lists are compared by their id or name. Pure. */
export function differencesOf(before: unknown, after: unknown): Difference[] {
  return differ('', before, after).slice(0, differencesMax)
}

function differ(path: string, before: unknown, after: unknown): Difference[] {
  if (JSON.stringify(before ?? null) === JSON.stringify(after ?? null)) return []
  const [was, is] = [membersOf(before), membersOf(after)]
  if (was && is) {
    const names = [...new Set([...was.keys(), ...is.keys()])]
    const inner = names.flatMap((name) => differ(joined(path, name), was.get(name), is.get(name)))
    // The same entries in another order.
    return inner.length > 0 ? inner : [{ path, kind: 'changed', before: 'the order', after: '' }]
  }
  const kind =
    before === undefined || before === null ? 'added' : after === undefined || after === null ? 'removed' : 'changed'
  return [{ path, kind, before: written(before), after: written(after) }]
}

/** Returns the members of an object, or the entries of a list of objects by their id or name. */
function membersOf(value: unknown): Map<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return new Map(Object.entries(value))
  const named = value.map((entry) => {
    const { id, name } = Object(entry) as { id?: unknown; name?: unknown }
    return [id ?? name, entry] as const
  })
  const isNamed = named.every(([name]) => typeof name === 'string')
  return isNamed && named.length > 0 ? new Map(named.map(([name, entry]) => [`[${name}]`, entry])) : undefined
}

function joined(path: string, name: string): string {
  if (path === '' || name.startsWith('[')) return path + name
  return `${path}.${name}`
}

function written(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > textMax ? `${text.slice(0, textMax)}...` : text
}
