import { invalid } from '../errors.ts'
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

/** A whole number from 0, as far as nine digits go; `fallback` when there is none. */
export function readWhole(query: Query, name: string, fallback: number): number {
  const text = query[name]?.[0]
  if (text === undefined || text === '') return fallback
  if (!/^\d{1,9}$/.test(text)) throw invalid(`'${name}' is not valid`)
  return Number(text)
}

const none: Query = Object.freeze(Object.create(null))
