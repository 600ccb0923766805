import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { deleteHistoryRows, type HistoryTable, historyTables, moveHistoryRows } from '../history/move-store.ts'
import type { Move, Person } from '../identity/person.ts'
import { lockMergedProfiles, markMoved } from './merged-profile-store.ts'

/** Rows that one transaction moves or deletes: some tens of milliseconds. */
export const chunkRowsMax = 5_000

/** `waitForOlderTransactions` waits for them, so that nothing is moved to where a sweep has been. */
const options = { settings: shortLockTimeout, assignTransactionId: true }

/**
 * Gives the events and purchases of a merged profile to whom it belongs by now, which is somebody else than `into` when that
 * one was merged too. After `waitForOlderTransactions`; done again it finds nothing left.
 */
export function moveHistory(db: Db, from: Person, into: Person): Promise<void> {
  return moveHistories(db, [{ from, into }])
}

/** The same for many at once, which costs little more than for one. */
export async function moveHistories(db: Db, moves: readonly Move[], rowsMax = chunkRowsMax): Promise<void> {
  const gone = moves.map(({ from }) => from)
  await inChunks(db, async (tx) => {
    const keepers = await lockMergedProfiles(tx, gone)
    const left = await takeFromTables(rowsMax, (table, rows) => moveHistoryRows(tx, table, keepers, rows))
    if (left > 0) await markMoved(tx, keepers)
    return left > 0
  })
}

/**
 * Deletes the events and purchases of a deleted person and keeps how many there were on which day (UTC). Call it after
 * `waitForOlderTransactions`.
 */
export function removeHistory(db: Db, workspace_id: number, gone: Person): Promise<void> {
  return removeHistories(db, workspace_id, [gone])
}

/** The same for many at once. */
export async function removeHistories(
  db: Db,
  workspace_id: number,
  gone: readonly Person[],
  rowsMax = chunkRowsMax,
): Promise<void> {
  await inChunks(db, async (tx) => {
    const left = await takeFromTables(rowsMax, (table, rows) => deleteHistoryRows(tx, table, workspace_id, gone, rows))
    return left > 0
  })
}

/** Runs `chunk` in transactions of its own until it says that nothing is left. */
async function inChunks(db: Db, chunk: (tx: Tx) => Promise<boolean>): Promise<void> {
  while (!(await db.transaction(chunk, options)));
}

/** Lets each table of history take from what one transaction may touch; answers what is left of it. */
async function takeFromTables(
  rowsMax: number,
  take: (table: HistoryTable, rowsMax: number) => Promise<number>,
): Promise<number> {
  let left = rowsMax
  for (const table of historyTables) left -= await take(table, left)
  return left
}
