import type { Tx } from './db.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Settings for joining sorted arrays by an index. Another plan would lock rows in another order, which can deadlock. */
export const nestedLoopsOnly = ['enable_hashjoin = off', 'enable_mergejoin = off'] as const

/**
 * Runs a query that reads many rows and locks none by any plan, in a transaction with `nestedLoopsOnly`. The three statements are sent
 * at once, so that no other statement of the transaction is planned between them.
 */
export async function queryByAnyPlan<Row>(tx: Tx, query: Sql): Promise<Row[]> {
  const joins = (state: 'on' | 'off') =>
    tx.query(sql`select set_config('enable_hashjoin', ${state}, true), set_config('enable_mergejoin', ${state}, true)`)
  const [, rows] = await Promise.all([joins('on'), tx.query<Row>(query), joins('off')])
  return rows
}

/** Settings of a transaction in which all statements see one snapshot and none writes. */
export const readOnlySnapshot = ["transaction_isolation = 'repeatable read'", 'transaction_read_only = on'] as const

const lockTimeout = "lock_timeout = '100ms'"

/**
 * Settings of every transaction other than a flush that locks people: a short lock timeout, after which it is retried (`retry.ts`), and
 * nested loops. Otherwise a flush would wait for a transaction that itself waits for a lock.
 */
export const shortLockTimeout = [lockTimeout, ...nestedLoopsOnly] as const

/**
 * Settings of a transaction that reads large tables by their keys only. A plan that was made while a queue was empty would otherwise
 * scan the whole queue for every row when it is long.
 */
export const indexScansOnly = ['enable_seqscan = off', 'enable_bitmapscan = off'] as const

/** Settings of a transaction that looks up a few rows of large tables by their keys, and joins them by index only. */
export const keyLookupsOnly = [...nestedLoopsOnly, ...indexScansOnly] as const

/** Releases the locks of a transaction whose process has ended or hangs. */
export const idleTimeout = "idle_in_transaction_session_timeout = '30s'"

/** Sets the short lock timeout for the rest of a transaction. */
export async function setShortLockTimeout(tx: Tx): Promise<void> {
  await tx.query(raw(`set local ${lockTimeout}`))
}
