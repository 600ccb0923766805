import { type Sql, sql } from './sql.ts'
import { timestampFromMs } from './timestamps.ts'

/** Counting stops here: an overflow would make every later attempt fail with a database error. */
const countMax = 1_000_000

/** The attempts of one key in its window, and when the window began. */
export type AttemptCount = { readonly count: number; readonly began_at: Date }

/**
 * Returns the assignments that count one more attempt, for the conflict clause of an insert into a table `t` with `count` and `began_at`.
 * A window that began at `sinceMs` or before starts again.
 */
export function countOneMore(sinceMs: number): Sql {
  const isOver = sql`t.began_at <= ${timestampFromMs(sinceMs)}`
  return sql`count = case when ${isOver} then 1 else least(t.count + 1, ${countMax}) end,
      began_at = case when ${isOver} then excluded.began_at else t.began_at end`
}

/** Returns how many seconds a caller waits until a window ends: at least one. */
export function secondsUntilEnd({ began_at }: AttemptCount, windowMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((began_at.getTime() + windowMs - nowMs) / 1000))
}
