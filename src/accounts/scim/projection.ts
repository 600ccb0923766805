import type { ScimObject } from './filter-match.ts'
import { splitSchema } from './path.ts'
import { type Attribute, enterpriseAttributes, enterpriseSchema, findAttribute, userResource } from './schema.ts'

/** Attribute names in one request. */
export const projectionNamesMax = 100

/** Which attributes of a resource are answered: only the named ones, or all others (RFC 7644, section 3.9). */
export type Projection = {
  readonly kind: 'default' | 'only' | 'without'
  /** Whether the enterprise schema is answered although it was not requested: a write answers what it set. */
  readonly showsEnterprise?: boolean
  /** Names by schema, in lower case and split at dots; an empty name is the whole schema. */
  readonly core: readonly (readonly string[])[]
  readonly enterprise: readonly (readonly string[])[]
}

export type ProjectionMistake = { readonly scimType: 'invalidValue'; readonly detail: string }

export const allAttributes: Projection = { kind: 'default', core: [], enterprise: [] }

/** Reads `attributes` and `excludedAttributes`, each a list or text with commas; unknown names are ignored. */
export function readProjection(
  attributes: unknown,
  excludedAttributes: unknown,
): { projection: Projection } | { mistake: ProjectionMistake } {
  const mistake = (detail: string) => ({ mistake: { scimType: 'invalidValue' as const, detail } })
  const only = readNames(attributes)
  const without = readNames(excludedAttributes)
  if (only === undefined) return mistake('attributes must be names separated by commas, or a list of names')
  if (without === undefined) return mistake('excludedAttributes must be names separated by commas, or a list of names')
  if (only.length > 0 && without.length > 0)
    return mistake('attributes and excludedAttributes cannot be given together')
  const names = only.length > 0 ? only : without
  if (names.length > projectionNamesMax) return mistake(`at most ${projectionNamesMax} attributes can be listed`)
  if (names.length === 0) return { projection: allAttributes }
  const found = names.flatMap((name) => splitSchema(name) ?? [])
  const partsOf = (isEnterprise: boolean) =>
    found
      .filter((each) => each.isEnterprise === isEnterprise)
      .map(({ rest }) => (rest === '' ? [] : rest.toLowerCase().split('.')))
  return {
    projection: { kind: only.length > 0 ? 'only' : 'without', core: partsOf(false), enterprise: partsOf(true) },
  }
}

function readNames(given: unknown): string[] | undefined {
  if (given === undefined || given === null) return []
  const list = typeof given === 'string' ? given.split(',') : given
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) return undefined
  return list.map((name) => name.trim()).filter((name) => name !== '')
}

/**
 * Returns the answered attributes of a resource. When the enterprise schema is requested, it holds the department too, and `schemas` lists
 * it.
 */
export function project(
  resource: ScimObject,
  projection: Projection,
  among: readonly Attribute[] = userResource,
): { [name: string]: unknown } {
  const core = selectAttributes(resource, among, projection.kind, projection.core)
  const { kind, showsEnterprise } = projection
  const isNamed = kind === 'only' && projection.enterprise.length > 0
  const names = isNamed ? projection.enterprise : kind === 'default' && showsEnterprise ? [[]] : undefined
  const extension = names && selectAttributes(resource, enterpriseAttributes, 'only', names)
  if (!extension || Object.keys(extension).length === 0) return core
  const schemas = Array.isArray(core.schemas) ? [...core.schemas, enterpriseSchema] : [enterpriseSchema]
  return { ...core, schemas, [enterpriseSchema]: extension }
}

type Names = readonly (readonly string[])[]

function selectAttributes(
  members: ScimObject,
  among: readonly Attribute[],
  kind: Projection['kind'],
  names: Names,
): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const attribute = findAttribute(among, name)
      const selected = attribute && selectAttribute(attribute, value, kind, names)
      return selected === undefined ? [] : [[name, selected]]
    }),
  )
}

function selectAttribute(attribute: Attribute, value: unknown, kind: Projection['kind'], names: Names): unknown {
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
  const inner = (item: unknown) => (isObject(item) ? selectAttributes(item, subAttributes, kind, below) : item)
  const selected = Array.isArray(value) ? value.map(inner) : inner(value)
  return isObject(selected) && Object.keys(selected).length === 0 ? undefined : selected
}

function isObject(value: unknown): value is ScimObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
