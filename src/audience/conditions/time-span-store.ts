import { raw, type Sql, sql } from '../../base/db/sql.ts'
import type { TimeSpan } from './evaluate-value.ts'

/** Well inside the range of a timestamptz, and beyond every stored time. */
const earliestMs = -200_000_000_000_000
const latestMs = 8_000_000_000_000_000
const postgresEpochMs = 946_684_800_000n
const microseconds = 1000

/** Returns the epoch microseconds of an instant that may be infinite. */
export function microsecondsOf(ms: number): number {
  return Math.max(earliestMs, Math.min(latestMs, ms)) * microseconds
}

/**
 * Returns a timestamptz in the binary format of PostgreSQL: eight bytes that count microseconds from 2000. It is exact to the millisecond
 * in every year.
 */
export function timestampOf(ms: number): Sql {
  const bytes = Buffer.alloc(8)
  const wholeMs = BigInt(Math.trunc(Math.max(earliestMs, Math.min(latestMs, ms))))
  bytes.writeBigInt64BE((wholeMs - postgresEpochMs) * BigInt(microseconds))
  return sql`${bytes}::timestamptz`
}

/** Returns SQL for whether a timestamptz is in the span; null when it is null. */
export function within(column: Sql, { fromMs, belowMs }: TimeSpan): Sql {
  if (fromMs === Number.NEGATIVE_INFINITY) return sql`${column} < ${timestampOf(belowMs)}`
  if (belowMs === Number.POSITIVE_INFINITY) return sql`${column} >= ${timestampOf(fromMs)}`
  return sql`${column} >= ${timestampOf(fromMs)} and ${column} < ${timestampOf(belowMs)}`
}

/** Returns the same for a jsonb number of epoch milliseconds. */
export function withinNumber(value: Sql, { fromMs, belowMs }: TimeSpan): Sql {
  const from = Number.isFinite(fromMs) ? sql`${value} >= ${JSON.stringify(fromMs)}::jsonb` : undefined
  const below = Number.isFinite(belowMs) ? sql`${value} < ${JSON.stringify(belowMs)}::jsonb` : undefined
  return from && below ? sql`${from} and ${below}` : (from ?? below ?? raw('true'))
}
