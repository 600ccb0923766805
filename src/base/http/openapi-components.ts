import type { Schema } from './route.ts'

type Json = { [name: string]: unknown }
type Shape = {
  /** The operation with `_body` or `_reply`, then the members that lead to the place of the first use. */
  readonly words: readonly string[]
  readonly title: string | undefined
  readonly members: readonly string[]
  uses: number
}
type Named = { readonly paths: Json; readonly schemas: { [name: string]: Schema } }

const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties'])

/**
 * Gives each object schema that `paths` has twice a name under `components.schemas`, and puts a reference in its places. The name is the
 * `title` of the schema. Without one, it is made from the place of its first use.
 */
export function nameSchemas(paths: Json, known: { [name: string]: Schema }): Named {
  const shapes = new Map<string, Shape>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods as Json)) {
      const { operationId, requestBody, responses } = operation as Json
      const name = String(operationId ?? `${method} ${path}`)
      collect(requestBody, [`${name}_body`], shapes)
      collect(responses, [`${name}_reply`], shapes)
    }
  }
  for (const [name, schema] of Object.entries(known)) collect(Object.values(schema), [name], shapes)
  const names = namesOf(shapes, new Set(Object.keys(known)))
  const schemas: { [name: string]: Schema } = {}
  const replace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replace)
    if (typeof value !== 'object' || value === null) return value
    const name = isShape(value) ? names.get(JSON.stringify(value)) : undefined
    const inner = () => Object.fromEntries(Object.entries(value).map(([key, each]) => [key, replace(each)]))
    if (name === undefined) return inner()
    schemas[name] ??= inner()
    return { $ref: `#/components/schemas/${name}` }
  }
  const replaced = replace(paths) as Json
  const others = Object.entries(known).map(([name, schema]): [string, Schema] => [
    name,
    Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, replace(each)])),
  ])
  const sorted = [...others, ...Object.entries(schemas)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { paths: replaced, schemas: Object.fromEntries(sorted) }
}

/** Whether a value is the schema of an object with members, or a union with a title. An object with any members needs no name. */
function isShape(value: object): boolean {
  const { type, properties, anyOf, title } = value as Json
  if (typeof title === 'string' && Array.isArray(anyOf)) return true
  return type === 'object' && typeof properties === 'object' && Object.keys(properties ?? {}).length > 0
}

/** Counts the places of each shape. What is inside a shape counts once, because the shape will be written once. */
function collect(value: unknown, words: readonly string[], shapes: Map<string, Shape>): void {
  if (typeof value !== 'object' || value === null) return
  if (isShape(value)) {
    const text = JSON.stringify(value)
    const earlier = shapes.get(text)
    if (earlier) {
      earlier.uses += 1
      return
    }
    const { title, properties = {} } = value as { title?: string; properties?: Json }
    shapes.set(text, { words, title, members: Object.keys(properties), uses: 1 })
  }
  for (const [key, inner] of Object.entries(value)) {
    if (maps.has(key) && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(inner ?? {})) collect(member, [...words, name], shapes)
    } else if (key === 'items') {
      collect(inner, [...words.slice(0, -1), singular(words.at(-1)!)], shapes)
    } else if (key === 'anyOf') {
      for (const variant of inner) collect(variant, variantWords(variant, inner, words), shapes)
    } else collect(inner, words, shapes)
  }
}

function singular(word: string): string {
  return /(ss|us|_body|_reply)$/.test(word)
    ? `${word}_item`
    : word.replace(/ies$/, 'y').replace(/(?<=canvas|ch|ss)es$|s$/, '')
}

/** A variant is named after its constant, or after its only required member. */
function variantWords(variant: Json, all: readonly Json[], words: readonly string[]): readonly string[] {
  if (all.filter((each) => each.type === 'object').length < 2) return words
  const members = Object.entries((variant.properties ?? {}) as { [name: string]: Json })
  const constant = members.find(([, member]) => typeof member.const === 'string')?.[1].const
  if (typeof constant === 'string') return [...words, `${words.at(-1)}_${constant}`]
  const required = (variant.required ?? []) as readonly string[]
  return required.length === 1 ? [...words, `with_${required[0]}`] : [...words, `${words.at(-1)}_variant`]
}

/**
 * Returns the names of the shapes with two places: as few words of the place as make it differ from the others. When a request and an
 * answer have different shapes of one name, that of the request is an `Input`. A whole body or answer with one member is named after it.
 */
function namesOf(shapes: ReadonlyMap<string, Shape>, taken: Set<string>): ReadonlyMap<string, string> {
  const shared = [...shapes].filter(([, { uses, title }]) => uses > 1 || title !== undefined)
  const names = new Map<string, string>()
  for (const [text, { title }] of shared) {
    if (title !== undefined) names.set(text, free(componentName(title), taken))
  }
  const untitled = shared.filter(([, { title }]) => title === undefined)
  const isAsked = (shape: Shape) => shape.words[0]!.endsWith('_body')
  for (const asked of [false, true]) {
    const kind = untitled.filter(([, shape]) => isAsked(shape) === asked)
    for (const [text, shape] of kind) {
      const others = kind.filter(([other]) => other !== text).flatMap(([, other]) => candidatesOf(other))
      const candidates = candidatesOf(shape)
      const isOwn = (name: string) => !taken.has(name) && !others.includes(name)
      names.set(text, free(candidates.find(isOwn) ?? candidates.at(-1)!, taken))
    }
  }
  return names
}

/** Returns the names that a shape may have, the shortest first. */
function candidatesOf({ words, members }: Shape): string[] {
  const kind = words[0]!.endsWith('_body') ? 'body' : 'reply'
  const [only, ...more] = members.filter((member) => member !== 'message')
  if (words.length === 1) return [...(only && more.length === 0 ? [pascal([only, kind])] : []), pascal(words)]
  const ends = words.map((_, index) => words.slice(index)).toReversed()
  return ends.flatMap((end) => {
    const isPart = end.length < words.length
    return [pascal(end), ...(kind === 'body' && isPart ? [pascal([...end, 'input'])] : [])]
  })
}

/** Returns the name of the component with a title. A schema that contains itself refers to it by this name. */
export function componentName(title: string): string {
  return pascal(title.split('_'))
}

function free(name: string, taken: Set<string>): string {
  let found = name
  for (let number = 2; taken.has(found); number += 1) found = `${name}${number}`
  taken.add(found)
  return found
}

function pascal(words: readonly string[]): string {
  return words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
}
