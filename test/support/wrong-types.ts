type Put = (value: unknown) => unknown

/** A place of a body: its path, its value, and a function that returns the body with another value there. */
export type Place = { readonly path: string; readonly value: unknown; readonly put: Put }

/** Lists the places of a body: itself, each member, and the first item of each list. */
export function placesOf(value: unknown, path = '', put: Put = (whole) => whole): Place[] {
  const here = { path, value, put }
  if (Array.isArray(value)) {
    const [first, ...rest] = value
    return value.length === 0 ? [here] : [here, ...placesOf(first, `${path}[]`, (item) => put([item, ...rest]))]
  }
  if (typeof value !== 'object' || value === null) return [here]
  const inside = Object.entries(value).flatMap(([name, member]) =>
    placesOf(member, path === '' ? name : `${path}.${name}`, (other) => put({ ...value, [name]: other })),
  )
  return [here, ...inside]
}

const samples = [5, 1.5, 'x', true, {}, [], [5]]

/** Returns values of every other JSON type. Null and, in place of a list, the empty list are none: they mean absent. */
export function wrongTypesOf(value: unknown): unknown[] {
  return samples.filter((sample) => typeOf(sample) !== typeOf(value))
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}
