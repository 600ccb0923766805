import type { Db, Tx } from './db.ts'
import { registrationOf } from './registration.ts'
import { raw } from './sql.ts'
import { waitForOlderTransactions } from './wait-for-older-transactions.ts'

/** How long a reader waits for a transaction that is being committed. */
const waitMsMax = 10_000

/**
 * Registers a transaction that raises a number on the coordinator, such as a version or a position, from which others conclude that its
 * rows are there. Call it before the number is raised. Does nothing on a database without shards.
 */
export async function registerAnnouncement(tx: Tx): Promise<void> {
  if (tx.placement !== undefined) await tx.query(raw(registrationOf('announcement')))
}

/**
 * Waits until the rows are visible that belong to a number which was read before the call. On a database with shards the transaction of the
 * coordinator ends first, so that its number can be seen, and each shard commits its rows later. Does nothing on a database without shards.
 * Throws `unavailable` after ten seconds.
 */
export async function waitForAnnounced(tx: Tx, log: Db['log']): Promise<void> {
  if (tx.placement !== undefined) await waitForOlderTransactions(withLog(tx, log), ['announcement'], waitMsMax)
}

/** The wait runs in the session of the transaction: an embedded database has no other. */
function withLog(tx: Tx, log: Db['log']): Pick<Db, 'query' | 'log'> {
  return { query: (statement) => tx.query(statement), log }
}
