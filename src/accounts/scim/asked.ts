import type { Query } from '../../base/http/route.ts'
import { invalidValue, refusal } from './failures.ts'
import { type Filter, parseFilter } from './filter.ts'
import { type Projection, readProjection } from './projection.ts'
import { type Attribute, userResource } from './schema.ts'
import { isMembers, memberOf, schemasMistake } from './values.ts'

export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'
export const countDefault = 100
/** Resources of one answer. */
export const countMax = 200
/** A place in a list that is past any end. */
const startMax = 2_000_000_000

/** Which resources are asked for, in which order and in how many pieces (RFC 7644, section 3.4.2). */
export type Search = {
  readonly filter: Filter | undefined
  readonly sortBy: string | undefined
  readonly isDescending: boolean
  /** From 1. */
  readonly startIndex: number
  /** 0 asks for the total alone. */
  readonly count: number
  readonly projection: Projection
}

/** A search as the query of a GET gives it. Throws 400. */
export function searchOf(query: Query, among?: readonly Attribute[]): Search {
  return readSearch((name) => memberIn(query, name), among)
}

/** A search as the body of a POST gives it (RFC 7644, section 3.4.3). Throws 400. */
export function searchIn(body: unknown): Search {
  if (!isMembers(body)) throw refusal({ scimType: 'invalidSyntax', detail: 'The body must be a JSON object' })
  const wrong = schemasMistake(body, searchSchema)
  if (wrong) throw refusal({ ...wrong, scimType: 'invalidSyntax' })
  return readSearch((name) => memberOf(body, name) ?? undefined)
}

/** What is to be shown of one resource, by the query. Throws 400. */
export function projectionOf(query: Query): Projection {
  return readNames((name) => memberIn(query, name))
}

type Ask = (name: string) => unknown

function readSearch(ask: Ask, among: readonly Attribute[] = userResource): Search {
  return {
    filter: readFilter(ask('filter'), among),
    sortBy: readText('sortBy', ask('sortBy')),
    isDescending: readOrder(ask('sortOrder')),
    startIndex: Math.min(Math.max(readNumber('startIndex', ask('startIndex'), 1), 1), startMax),
    count: Math.min(Math.max(readNumber('count', ask('count'), countDefault), 0), countMax),
    projection: readNames(ask),
  }
}

function readFilter(given: unknown, among: readonly Attribute[]): Filter | undefined {
  if (given === undefined) return undefined
  if (typeof given !== 'string') throw refusal({ scimType: 'invalidFilter', detail: 'filter must be text' })
  const filter = parseFilter(given, among)
  if (!('mistake' in filter)) return filter
  const { at, message } = filter.mistake
  const detail = `The filter is wrong at character ${at + 1}: ${message}`
  throw refusal({ scimType: 'invalidFilter', detail })
}

function readNames(ask: Ask): Projection {
  const read = readProjection(ask('attributes'), ask('excludedAttributes'))
  if ('mistake' in read) throw refusal(read.mistake)
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

/** Which may be given several times, as further names. */
const lists: ReadonlySet<string> = new Set(['attributes', 'excludedAttributes'])

function memberIn(query: Query, name: string): string | undefined {
  const given = query[name] ?? []
  if (given.length > 1 && !lists.has(name)) throw invalidValue(`${name} may be given once`)
  return given.length === 0 ? undefined : given.join(',')
}
