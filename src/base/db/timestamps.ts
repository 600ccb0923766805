import { timestampArray } from './arrays.ts'
import { type Sql, sql } from './sql.ts'

/** One timestamptz of epoch microseconds, or null; arrays are how moments are sent without being turned into text. */
export function timestampFromUs(us: number | null): Sql {
  return sql`(${timestampArray([us])}::timestamptz[])[1]`
}

/** The same of microseconds as a cursor carries them. */
export function timestampFromUsText(us: string): Sql {
  return sql`(timestamptz 'epoch' + ${us}::int8 * interval '1 microsecond')`
}

/** The same of epoch milliseconds, with a fraction or without. */
export function timestampFromMs(ms: number): Sql {
  return timestampFromUs(Math.round(ms * 1000))
}
