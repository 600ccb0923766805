import { timestampArray } from './arrays.ts'
import { type Sql, sql } from './sql.ts'

/**
 * Returns one timestamptz from epoch microseconds, or null. An array of one is sent in binary format, which needs no text. Citus 13.2.0 to
 * 14.0.1 takes a bare element in `set` for an assignment to an element, and ends: so it stands in `coalesce`.
 */
export function timestampFromUs(us: number | null): Sql {
  return sql`coalesce((${timestampArray([us])}::timestamptz[])[1])`
}

/** Returns one timestamptz from epoch microseconds as decimal text, as a cursor has them. */
export function timestampFromUsText(us: string): Sql {
  return sql`(timestamptz 'epoch' + ${us}::int8 * interval '1 microsecond')`
}

/**
 * Returns SQL for the microsecond after a timestamptz. The sum of a timestamptz and an interval depends on the time zone of the session,
 * and Citus refuses it in an update: so it is made without a time zone.
 */
export function microsecondAfter(moment: Sql): Sql {
  return sql`(${moment} at time zone interval '0' + interval '1 microsecond') at time zone interval '0'`
}

/** Returns one timestamptz from epoch milliseconds, which may have a fraction. */
export function timestampFromMs(ms: number): Sql {
  return timestampFromUs(Math.round(ms * 1000))
}
