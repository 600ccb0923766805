import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

const patienceMs = 30_000
const pauseMaxMs = 100
/** Somebody who waits for an answer waits at most so long. */
const answerMsMax = 5_000

/**
 * Resolves when every transaction that had a number at the call has ended: nobody is left who has not seen what was committed
 * before. A transaction gets its number with its first write or by `numbered`. Rejects with `unavailable` when that takes longer
 * than `patienceMs` of machine time. One query when nothing is open.
 */
export async function waitForOlderTransactions(db: Db, deadlineMs = patienceMs): Promise<void> {
  const late = AbortSignal.timeout(deadlineMs)
  // A number of our own, given back at once. The end of a snapshot would not do: open transactions may lie beyond it.
  const [begun] = await db.query<{ own: string; oldest: string }>(sql`
    select pg_current_xact_id()::text as own, pg_snapshot_xmin(pg_current_snapshot())::text as oldest`)
  const own = BigInt(begun!.own)
  let oldest = begun!.oldest
  for (let pauseMs = 1; BigInt(oldest) < own; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    if (late.aborted) throw unavailable('The database is busy')
    await pause(pauseMs)
    oldest = await findOldest(db)
  }
}

/** The same before an answer. A transaction that lasts longer keeps nobody waiting for it. */
export async function waitBrieflyForOlderTransactions(db: Db, waitMs = answerMsMax): Promise<void> {
  await Promise.allSettled([waitForOlderTransactions(db, waitMs)])
}

async function findOldest(db: Db): Promise<string> {
  const [row] = await db.query<{ oldest: string }>(sql`select pg_snapshot_xmin(pg_current_snapshot())::text as oldest`)
  return row!.oldest
}
