import type { Tx } from './db.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Sorted arrays meet indexes row by row; another plan would lock rows in another order. */
export const nestedLoopsOnly = ['enable_hashjoin = off', 'enable_mergejoin = off'] as const

/**
 * Asks what locks nobody and reads much, in a transaction that otherwise goes row by row: by whichever plan is the best. The three
 * statements are sent at once, so that nothing else of the transaction is planned between them.
 */
export async function queryByAnyPlan<Row>(tx: Tx, question: Sql): Promise<Row[]> {
  const joins = (state: 'on' | 'off') =>
    tx.query(sql`select set_config('enable_hashjoin', ${state}, true), set_config('enable_mergejoin', ${state}, true)`)
  const [, rows] = await Promise.all([joins('on'), tx.query<Row>(question), joins('off')])
  return rows
}

const lockTimeout = "lock_timeout = '100ms'"

/**
 * Settings of a transaction that locks people elsewhere than in a flush: it rather begins anew (`retry.ts`) than keep a flush
 * waiting that waits for it halfway.
 */
export const shortLockTimeout = [lockTimeout, ...nestedLoopsOnly] as const

/**
 * Settings of a transaction whose statements meet large tables by their keys only. Prepared while a queue was empty, they would read it
 * from its beginning for every row once it is not.
 */
export const indexScansOnly = ['enable_seqscan = off', 'enable_bitmapscan = off'] as const

/** Setting of a transaction whose process may go or hang: after so long others have what it has locked. */
export const idleTimeout = "idle_in_transaction_session_timeout = '30s'"

/** From here on this transaction does not wait long for locks either. */
export async function setShortLockTimeout(tx: Tx): Promise<void> {
  await tx.query(raw(`set local ${lockTimeout}`))
}
