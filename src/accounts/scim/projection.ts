import type { Members } from './filter-match.ts'
import { withoutSchema } from './path.ts'
import { type Attribute, enterpriseAttributes, enterpriseSchema, findAttribute, userResource } from './schema.ts'

/** Names that one request may list. */
export const projectionNamesMax = 100

/** Which attributes of a resource are answered: those named and no others, or all but those named (RFC 7644, section 3.9). */
export type Projection = {
  readonly kind: 'default' | 'only' | 'without'
  /** By schema, each name in its parts and in lower case; one without parts means the whole schema. */
  readonly core: readonly (readonly string[])[]
  readonly enterprise: readonly (readonly string[])[]
}

export type ProjectionMistake = { readonly scimType: 'invalidValue'; readonly detail: string }

export const wholeResource: Projection = { kind: 'default', core: [], enterprise: [] }

/** Reads `attributes` and `excludedAttributes`, each as text with commas or as a list; names that mean nothing are passed over. */
export function readProjection(
  attributes: unknown,
  excludedAttributes: unknown,
): { projection: Projection } | { mistake: ProjectionMistake } {
  const mistake = (detail: string) => ({ mistake: { scimType: 'invalidValue' as const, detail } })
  const only = namesOf(attributes)
  const without = namesOf(excludedAttributes)
  if (only === undefined) return mistake('attributes must be names with commas between them, or a list of names')
  if (without === undefined)
    return mistake('excludedAttributes must be names with commas between them, or a list of names')
  if (only.length > 0 && without.length > 0) return mistake('attributes and excludedAttributes exclude each other')
  const names = only.length > 0 ? only : without
  if (names.length > projectionNamesMax) return mistake(`at most ${projectionNamesMax} attributes can be named`)
  if (names.length === 0) return { projection: wholeResource }
  const found = names.flatMap((name) => withoutSchema(name) ?? [])
  const partsOf = (isEnterprise: boolean) =>
    found
      .filter((each) => each.isEnterprise === isEnterprise)
      .map(({ rest }) => (rest === '' ? [] : rest.toLowerCase().split('.')))
  return {
    projection: { kind: only.length > 0 ? 'only' : 'without', core: partsOf(false), enterprise: partsOf(true) },
  }
}

function namesOf(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return []
  const list = typeof given === 'string' ? given.split(',') : given
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined
  return list.map((name) => name.trim()).filter((name) => name !== '')
}

/**
 * What is answered of a resource. Its department is shown once more in the schema of enterprises when that is asked for, and then `schemas`
 * names it.
 */
export function project(
  resource: Members,
  projection: Projection,
  among: readonly Attribute[] = userResource,
): { [name: string]: unknown } {
  const shown = cut(resource, among, projection.kind, projection.core)
  const isNamed = projection.kind === 'only' && projection.enterprise.length > 0
  const extension = isNamed && cut(resource, enterpriseAttributes, 'only', projection.enterprise)
  if (!extension || Object.keys(extension).length === 0) return shown
  const schemas = Array.isArray(shown.schemas) ? [...shown.schemas, enterpriseSchema] : [enterpriseSchema]
  return { ...shown, schemas, [enterpriseSchema]: extension }
}

type Names = readonly (readonly string[])[]

function cut(
  members: Members,
  among: readonly Attribute[],
  kind: Projection['kind'],
  names: Names,
): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const attribute = findAttribute(among, name)
      const shown = attribute && cutOne(attribute, value, kind, names)
      return shown === undefined ? [] : [[name, shown]]
    }),
  )
}

function cutOne(attribute: Attribute, value: unknown, kind: Projection['kind'], names: Names): unknown {
  const { name, returned, subAttributes } = attribute
  if (returned === 'never') return undefined
  const isAll = names.some((parts) => parts.length === 0)
  const below = names.filter(([first]) => first === name.toLowerCase()).map((parts) => parts.slice(1))
  const isWhole = isAll || below.some((parts) => parts.length === 0)
  if (returned === 'always') return value
  if (kind === 'default') return returned === 'request' ? undefined : value
  if (kind === 'without' && (isWhole || returned === 'request')) return undefined
  if (kind === 'without' ? below.length === 0 : isWhole) return value
  if (kind === 'only' && below.length === 0) return undefined
  if (subAttributes === undefined) return kind === 'without' ? value : undefined
  const inner = (item: unknown) => (isMembers(item) ? cut(item, subAttributes, kind, below) : item)
  const shown = Array.isArray(value) ? value.map(inner) : inner(value)
  return isMembers(shown) && Object.keys(shown).length === 0 ? undefined : shown
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
