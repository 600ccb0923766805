import type { Db, Tx } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { deleteHistoryRows, type HistoryTable, historyTables, moveHistoryRows } from '../history/move-store.ts'
import type { Move, Person } from '../identity/person.ts'
import { lockMergedProfiles, markMoved } from './merged-profile-store.ts'

/** The most rows that one transaction moves or deletes. This takes some tens of milliseconds. */
export const chunkRowsMax = 5_000

const options = { settings: shortLockTimeout }

/**
 * Moves the events and purchases of merged profiles to the current kept profiles: `into` may have been merged itself. Call it after
 * `waitForOlderTransactions`. It may be repeated.
 */
export async function moveHistory(db: Db, moves: readonly Move[], rowsMax = chunkRowsMax): Promise<void> {
  const merged = moves.map(({ from }) => from)
  await inChunks(db, async (tx) => {
    const current = await lockMergedProfiles(tx, merged)
    const left = await takeFromTables(rowsMax, (table, rows) => moveHistoryRows(tx, table, current, rows))
    if (left > 0) await markMoved(tx, current)
    return left > 0
  })
}

/**
 * Deletes the events and purchases of deleted people; tallies keep counting them. Call it after `waitForOlderTransactions`. It may be
 * repeated.
 */
export async function deleteHistory(db: Db, people: readonly Person[], rowsMax = chunkRowsMax): Promise<void> {
  await inChunks(db, async (tx) => {
    const left = await takeFromTables(rowsMax, (table, rows) => deleteHistoryRows(tx, table, people, rows))
    return left > 0
  })
}

/** Repeats `chunk`, each time in a transaction of its own, until it returns true. */
async function inChunks(db: Db, chunk: (tx: Tx) => Promise<boolean>): Promise<void> {
  while (!(await db.transaction(chunk, options)));
}

/** Takes up to `rowsMax` rows from the tables of history, one table after the other. Returns the unused part of `rowsMax`. */
async function takeFromTables(
  rowsMax: number,
  take: (table: HistoryTable, rowsMax: number) => Promise<number>,
): Promise<number> {
  let left = rowsMax
  for (const table of historyTables) left -= await take(table, left)
  return left
}
