import type { Query } from '../../base/http/route.ts'
import { parseFilter, type ScimFilter } from './filter.ts'
import { splitSchema } from './path.ts'
import { type Projection, readProjection } from './projection.ts'
import { type Attribute, enterpriseSchema, userResource } from './schema.ts'
import { invalidValue, toScimFailure } from './scim-failure.ts'
import { checkSchemas, findProperty, isScimObject } from './values.ts'

export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
export const resourcesDefault = 100
/** Resources in one answer. */
export const resourcesMax = 200
/** An index behind the end of every list. */
const startMax = 2_000_000_000

/** A search for resources: filter, order and page (RFC 7644, section 3.4.2). */
export type ScimSearch = {
  readonly filter: ScimFilter | undefined
  readonly sortBy: string | undefined
  readonly isDescending: boolean
  /** Counted from 1. */
  readonly startIndex: number
  /** With 0 only the total is answered. */
  readonly count: number
  readonly projection: Projection
}

/** Reads a search from the query of a GET. Throws 400. */
export function readSearchQuery(query: Query, among?: readonly Attribute[]): ScimSearch {
  return readSearch((name) => queryValue(query, name), among)
}

/** Reads a search from the body of a POST (RFC 7644, section 3.4.3). Throws 400. */
export function readSearchBody(body: unknown, among?: readonly Attribute[]): ScimSearch {
  if (!isScimObject(body)) throw toScimFailure({ scimType: 'invalidSyntax', detail: 'The body must be a JSON object' })
  const wrong = checkSchemas(body, searchSchema)
  if (wrong) throw toScimFailure({ ...wrong, scimType: 'invalidSyntax' })
  return readSearch((name) => findProperty(body, name) ?? undefined, among)
}

/** Reads which attributes of a resource are answered. Throws 400. */
export function readProjectionQuery(query: Query): Projection {
  return readNames((name) => queryValue(query, name))
}

/** The answer of a write has the enterprise schema when the body names it: providers look there for what they have sent. */
export function projectionFor(body: unknown, projection: Projection): Projection {
  return { ...projection, showsEnterprise: namesEnterprise(body) }
}

function namesEnterprise(body: unknown): boolean {
  if (!isScimObject(body)) return false
  const isNamed = (object: unknown) => isScimObject(object) && Object.keys(object).some(isEnterpriseName)
  const operations = findProperty(body, 'Operations')
  if (!Array.isArray(operations)) return isNamed(body)
  return operations.some((each) => {
    if (!isScimObject(each)) return false
    const path = findProperty(each, 'path')
    return (typeof path === 'string' && isEnterpriseName(path.trim())) || isNamed(findProperty(each, 'value'))
  })
}

function isEnterpriseName(name: string): boolean {
  return name.length >= enterpriseSchema.length && (splitSchema(name)?.isEnterprise ?? false)
}

type GetValue = (name: string) => unknown

function readSearch(getValue: GetValue, among: readonly Attribute[] = userResource): ScimSearch {
  return {
    filter: readFilter(getValue('filter'), among),
    sortBy: readText('sortBy', getValue('sortBy')),
    isDescending: readOrder(getValue('sortOrder')),
    startIndex: Math.min(Math.max(readNumber('startIndex', getValue('startIndex'), 1), 1), startMax),
    count: Math.min(Math.max(readNumber('count', getValue('count'), resourcesDefault), 0), resourcesMax),
    projection: readNames(getValue),
  }
}

function readFilter(given: unknown, among: readonly Attribute[]): ScimFilter | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string') throw toScimFailure({ scimType: 'invalidFilter', detail: 'filter must be text' })
  const filter = parseFilter(given, among)
  if (!('mistake' in filter)) return filter
  const { at, message } = filter.mistake
  const detail = `The filter is not valid at character ${at + 1}: ${message}`
  throw toScimFailure({ scimType: 'invalidFilter', detail })
}

function readNames(getValue: GetValue): Projection {
  const read = readProjection(getValue('attributes'), getValue('excludedAttributes'))
  if ('mistake' in read) throw toScimFailure(read.mistake)
  return read.projection
}

function readOrder(given: unknown): boolean {
  const order = readText('sortOrder', given)?.toLowerCase() ?? 'ascending'
  if (order !== 'ascending' && order !== 'descending') throw invalidValue('sortOrder must be ascending or descending')
  return order === 'descending'
}

function readText(name: string, given: unknown): string | undefined {
  if (given !== undefined && typeof given !== 'string') throw invalidValue(`${name} must be text`)
  return given || undefined
}

function readNumber(name: string, given: unknown, fallback: number): number {
  if (given === undefined || given === '') return fallback
  const isNumber = Number.isInteger(given) || (typeof given === 'string' && /^-?\d{1,300}$/.test(given))
  if (!isNumber) throw invalidValue(`${name} must be a whole number`)
  return Number(given)
}

/** Parameters that may be given several times. */
const repeatable: ReadonlySet<string> = new Set(['attributes', 'excludedAttributes'])

function queryValue(query: Query, name: string): string | undefined {
  const given = query[name] ?? []
  if (given.length > 1 && !repeatable.has(name)) throw invalidValue(`${name} may be given once`)
  return given.length === 0 ? undefined : given.join(',')
}
