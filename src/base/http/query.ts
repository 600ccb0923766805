import { parseWrittenTime, withPlus } from '../dates.ts'
import { invalid } from '../errors.ts'
import { parseUuid } from '../ids.ts'
import type { Query } from './route.ts'

const listSuffix = /\[\d*\]$/
/** A plus sign at the beginning of a phone number, and an e-mail address with plus signs. Neither has spaces there. */
const phonePlus = /((?:^|&)phone(?:\[\d*\]|%5B\d*%5D)?=)\+(?=\d)/gi
const emailPluses = /(?<=(?:^|&)email(?:\[\d*\]|%5B\d*%5D)?=)[^&]*\+[^&]*/gi

/**
 * Reads a query string as lists of values by name. Invalid percent-encoding does not change. `+` is a space, but in a phone number and in
 * an e-mail address it is a plus sign: many callers do not encode it.
 */
export function parseQuery(text: string): Query {
  if (text === '') return none
  const query: { [name: string]: string[] } = Object.create(null)
  for (const [key, value] of new URLSearchParams(text.includes('+') ? withEncodedPluses(text) : text)) {
    const name = key.replace(listSuffix, '')
    const values = query[name]
    if (values === undefined) query[name] = [value]
    else values.push(value)
  }
  return query
}

function withEncodedPluses(text: string): string {
  return text.replace(phonePlus, '$1%2B').replace(emailPluses, (value) => value.replaceAll('+', '%2B'))
}

/** Returns the value of a parameter unchanged. Throws 400 for several values. */
export function readSingle(query: Query, name: string): string | undefined {
  const given = query[name] ?? []
  if (given.length > 1) throw invalid(`'${name}' may be given once`)
  return given[0]
}

/** Returns the value of a parameter; undefined for an empty one. Throws 400 for several values. */
export function readNonEmpty(query: Query, name: string): string | undefined {
  return readSingle(query, name) || undefined
}

/** Reads `limit`, the number of entries in a page. Throws 400. */
export function readLimit(query: Query, fallback: number, max: number): number {
  const text = readNonEmpty(query, 'limit') ?? String(fallback)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > max) throw invalid(`'limit' must be a whole number from 1 to ${max}`)
  return limit
}

/** Reads a whole number from 0 with at most nine digits; `fallback` when it is absent or empty. Throws 400. */
export function readWhole(query: Query, name: string, fallback: number): number {
  const text = readSingle(query, name)
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,9}$/.test(text)) throw invalid(`'${name}' is not valid`)
  return Number(text)
}

/** Returns a boolean as the languages of callers write it: `true`, `True` or `1`. Undefined for any other text. */
export function parseBoolean(text: string): boolean | undefined {
  return booleans.get(text.toLowerCase())
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Reads a boolean, which is false when it is absent or empty. Throws 400. */
export function readBoolean(query: Query, name: string): boolean {
  const given = parseBoolean(readNonEmpty(query, name) ?? 'false')
  if (given === undefined) throw invalid(`'${name}' must be true or false`)
  return given
}

export type Direction = 'asc' | 'desc'

/** Reads `sort_direction`. Throws 400. */
export function readDirection(query: Query, fallback: Direction): Direction {
  const direction = readNonEmpty(query, 'sort_direction') ?? fallback
  if (direction !== 'asc' && direction !== 'desc') throw invalid("'sort_direction' is not valid")
  return direction
}

/** Reads a UUID with or without dashes. Throws 400. */
export function readUuid(query: Query, name: string): string | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  const uuid = parseUuid(text)
  if (uuid === undefined) throw invalid(`'${name}' is not valid`)
  return uuid
}

/** Returns epoch milliseconds for an ISO 8601 instant with offset, or undefined for any other text. */
export function parseInstant(text: string): number | undefined {
  const written = parseWrittenTime(text)
  return written?.offset === undefined ? undefined : written.ms
}

/** Returns the day (`yyyy-MM-dd`) of an ISO 8601 date or time, as it was written. Undefined for any other text. */
export function parseDay(text: string): string | undefined {
  return parseWrittenTime(withPlus(text))?.local.slice(0, 10)
}

/** Reads a parameter as an instant, epoch milliseconds. Throws 400. */
export function readInstant(query: Query, name: string): number | undefined {
  const text = readNonEmpty(query, name)
  if (text === undefined) return undefined
  const ms = parseInstant(withPlus(text))
  if (ms === undefined) throw invalid(`'${name}' must be an ISO 8601 instant with offset such as 2030-01-31T09:00:00Z`)
  return ms
}

const none: Query = Object.freeze(Object.create(null))
