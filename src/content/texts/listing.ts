import { parseQueryTime } from '../../base/dates.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { listedDefault, listedTextsMax, timeTexts } from './schema.ts'

/** A page of a list of stored texts: those updated from `after` to `before`, both included. */
export type Listing = { after: string; before: string; limit: number; offset: number }

/** Reads the query of a list (contract 10.5, 4.11). `noun` begins the error texts about its limit. Empty values count as absent. */
export function readListing(query: Query, noun: string): Listing {
  const after = readTime(query, 'modified_after', timeTexts.badAfter)
  const before = readTime(query, 'modified_before', timeTexts.badBefore)
  if (after !== undefined && before !== undefined && after > before) throw invalid(timeTexts.reversed)
  const limit = readInteger(query, 'limit', `${noun} number limit is invalid`) ?? listedDefault
  if (limit < 1) throw invalid(`${noun} number limit must be greater than 0`)
  if (limit > listedTextsMax) throw invalid(`${noun} number limit exceeds maximum of ${listedTextsMax}`)
  const offset = readInteger(query, 'offset', 'Offset is invalid') ?? 0
  // The text is that of the interface. An offset of 0 is accepted nevertheless, because clients send it for the first page.
  if (offset < 0) throw invalid('Offset must be greater than 0')
  return { after: bound(after, '-infinity'), before: bound(before, 'infinity'), limit, offset }
}

function readTime(query: Query, name: string, bad: string): number | undefined {
  const text = readSingle(query, name)
  if (!text) return undefined
  const ms = parseQueryTime(text)
  if (ms === undefined || !isYear(new Date(ms).getUTCFullYear())) throw invalid(bad)
  return ms
}

const isYear = (year: number) => year >= 1 && year <= 9999

function readInteger(query: Query, name: string, bad: string): number | undefined {
  const text = readSingle(query, name)
  if (!text) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw invalid(bad)
  return Number(text)
}

function bound(ms: number | undefined, otherwise: string): string {
  return ms === undefined ? otherwise : new Date(ms).toISOString()
}
