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

const none: Query = Object.freeze(Object.create(null))
