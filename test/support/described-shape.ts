/**
 * The shape of a value: a word of `words`, an exact text for a member `message`, a list of one shape, which the value has for each of its
 * entries and has at least one, or an object. In an object `name?` may be absent, `*` is the shape of all other members, of which there
 * is at least one, and `...` that of all other members, if there are any.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape }

const words: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => isObject(value),
  list: (value) => Array.isArray(value),
  empty: (value) => Array.isArray(value) && value.length === 0,
  anything: () => true,
}

/** Returns the places of a value that do not have their shape. */
export function differencesOf(shape: Shape, value: unknown, place = ''): string[] {
  if (typeof shape === 'string') {
    const fits = words[shape]?.(value) ?? value === shape
    return fits ? [] : [`${place} is not ${shape}: ${JSON.stringify(value)}`]
  }
  if (isList(shape)) {
    if (!Array.isArray(value) || value.length === 0) return [`${place} is no list with entries`]
    return value.flatMap((each, i) => differencesOf(shape[0], each, `${place}[${i}]`))
  }
  return isObject(value) ? memberDifferences(shape, value, place) : [`${place} is no object`]
}

function memberDifferences(
  { '*': each, '...': rest, ...members }: { readonly [member: string]: Shape },
  value: Readonly<Record<string, unknown>>,
  place: string,
): string[] {
  const named = Object.entries(members).flatMap(([key, inner]) => {
    const name = key.replace(/\?$/, '')
    if (name in value) return differencesOf(inner, value[name], `${place}.${name}`)
    return name === key ? [`${place}.${name} is absent`] : []
  })
  const others = Object.keys(value).filter((name) => !(name in members) && !(`${name}?` in members))
  const other = each ?? rest
  const more = others.flatMap((name) =>
    other === undefined ? [`${place}.${name} is more`] : differencesOf(other, value[name], `${place}.${name}`),
  )
  return [...named, ...more, ...(each !== undefined && others.length === 0 ? [`${place} has no members`] : [])]
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
