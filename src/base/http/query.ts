import { invalid } from '../errors.ts'
import { parseUuid } from '../ids.ts'
import type { Query } from './route.ts'

const listSuffix = /\[\d*\]$/

/** A query string as lists of values by name. What is not percent-encoding is taken as it stands; `+` is a space. */
export function parseQuery(text: string): Query {
  if (text === '') return none
  const query: { [name: string]: string[] } = Object.create(null)
  for (const [key, value] of new URLSearchParams(text)) {
    const name = key.replace(listSuffix, '')
    const values = query[name]
    if (values === undefined) query[name] = [value]
    else values.push(value)
  }
  return query
}

/** The value of a member as it stands. Throws 400 for several. */
export function readSingle(query: Query, name: string): string | undefined {
  const given = query[name] ?? []
  if (given.length > 1) throw invalid(`'${name}' may be given once`)
  return given[0]
}

/** The same, empty as good as absent. */
export function readNonEmpty(query: Query, name: string): string | undefined {
  return readSingle(query, name) || undefined
}

/** `limit`: how many entries a page is to have. */
export function readLimit(query: Query, fallback: number, max: number): number {
  const text = readNonEmpty(query, 'limit') ?? String(fallback)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > max) throw invalid(`'limit' must be a whole number from 1 to ${max}`)
  return limit
}

/** A whole number from 0, as far as nine digits go; `fallback` when there is none. */
export function readWhole(query: Query, name: string, fallback: number): number {
  const text = query[name]?.[0]
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,9}$/.test(text)) throw invalid(`'${name}' is not valid`)
  return Number(text)
}

/** A UUID, with or without dashes. */
export function readUuid(query: Query, name: string): string | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  const uuid = parseUuid(text)
  if (uuid === undefined) throw invalid(`'${name}' is not valid`)
  return uuid
}

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/

/** Epoch milliseconds of an ISO 8601 instant with offset; undefined when the text is none. */
export function parseInstant(text: string): number | undefined {
  const ms = instantForm.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** Epoch milliseconds of such a member. A plus that was not encoded is a blank by now. */
export function readInstant(query: Query, name: string): number | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  const ms = parseInstant(text.replace(' ', '+'))
  if (ms === undefined) throw invalid(`'${name}' must be an ISO 8601 instant with offset such as 2030-01-31T09:00:00Z`)
  return ms
}

const none: Query = Object.freeze(Object.create(null))
