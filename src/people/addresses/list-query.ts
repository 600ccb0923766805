import { invalid } from '../../base/errors.ts'
import { parseDay, readSingle, readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { identifierOrThrow, readEmail } from '../identity/identifier.ts'
import { notValid } from '../values/refusals.ts'
import { endRequired, endsBeforeStart, listedAddressesMax, listedDefault, startRequired } from './schema.ts'

/** The query of a list of addresses (contract 10.2): two UTC midnights in epoch microseconds, or one address, which takes precedence. */
export type Listing<Page> =
  | { readonly sinceUs: number; readonly untilUs: number; readonly page: Page }
  | { readonly email: string; readonly page: Page }

export function readListQuery<Page>(query: Query, readPage: () => Page): Listing<Page> {
  const [start, end] = [readDay(query, 'start_date'), readDay(query, 'end_date')]
  if (end === undefined) throw invalid(endRequired)
  const page = readPage()
  const email = readSingle(query, 'email')
  if (email) return { email: identifierOrThrow(readEmail(email)).value, page }
  if (start === undefined) throw invalid(startRequired)
  if (end <= start) throw invalid(endsBeforeStart)
  return { sinceUs: start * 1000, untilUs: end * 1000, page }
}

export type PageSlice = { readonly limit: number; readonly offset: number }

export function readPageSlice(query: Query): PageSlice {
  const limit = Math.min(readWhole(query, 'limit', listedDefault), listedAddressesMax)
  return { limit, offset: readWhole(query, 'offset', 0) }
}

/** Formats a time as in the lists: `2020-06-17 19:27:44 +0000`. */
export function formatSecond(moment: Date): string {
  const [day, time] = moment.toISOString().split('T') as [string, string]
  return `${day} ${time.slice(0, 8)} +0000`
}

/** Returns epoch milliseconds of the midnight in UTC at which a day begins. A time stands for its day, as it was written. */
export function readDay(query: Query, name: string): number | undefined {
  const text = readSingle(query, name)
  if (!text) return undefined
  const day = parseDay(text)
  if (day === undefined) throw invalid(notValid(name))
  return Date.parse(day)
}
