import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

const timeoutMsDefault = 30_000
const pauseMsMax = 100
/** How long an answer may be delayed. */
const answerMsMax = 5_000

/**
 * Resolves when every transaction that had a transaction id at the call has ended, so that all transactions from then on see what was
 * committed before the call. A transaction gets its id with its first write or by `assignTransactionId`. Rejects with `unavailable`
 * after `timeoutMs` of machine time. Takes one query when no transaction is open.
 */
export async function waitForOlderTransactions(db: Db, timeoutMs = timeoutMsDefault): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs)
  // An id of our own, used for nothing else. The end of a snapshot is no bound: open transactions may have later ids.
  const [begun] = await db.query<{ own: string; oldest: string }>(sql`
    select pg_current_xact_id()::text as own, pg_snapshot_xmin(pg_current_snapshot())::text as oldest`)
  const own = BigInt(begun!.own)
  let oldest = begun!.oldest
  for (let pauseMs = 1; BigInt(oldest) < own; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    if (late.aborted) throw unavailable('The database is busy')
    await pause(pauseMs)
    oldest = await findOldest(db)
  }
}

/** Waits for older transactions before an answer. Returns without an error when they last longer than `timeoutMs`. */
export async function waitBrieflyForOlderTransactions(db: Db, timeoutMs = answerMsMax): Promise<void> {
  try {
    await waitForOlderTransactions(db, timeoutMs)
  } catch {
    // The caller has committed already. A transaction that hangs, or a lost database, must not turn that into an error.
  }
}

async function findOldest(db: Db): Promise<string> {
  const [row] = await db.query<{ oldest: string }>(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`)
  return row!.oldest
}
