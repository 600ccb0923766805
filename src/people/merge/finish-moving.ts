import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { waitForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { Failure } from '../../base/errors.ts'
import type { Move, Person } from '../identity/person.ts'
import { lockMergedProfiles } from './merged-profile-store.ts'
import { moveHistories, removeHistories } from './move-history.ts'
import type { OwnedRule } from './owned-rule.ts'
import { mergeLate, removeLate } from './owned-store.ts'
import { finishMoving, listMoving, type MovingItem } from './work-store.ts'

export type FinishMovingServices = { db: Db; clock: Clock; ownedRules: readonly OwnedRule[] }

/** Items whose history is followed up at once. */
const itemsMax = 50

/**
 * Lets history follow the people that items have merged or deleted, and finishes those items; false when there were none. History
 * that cannot follow does not hold up that of others: it stays, and is what this rejects with in the end.
 */
export async function finishMovingItems(parts: FinishMovingServices): Promise<boolean> {
  const items = await listMoving(parts.db, itemsMax)
  if (items.length === 0) return false
  // From now on nobody writes under an id that is gone.
  await waitForOlderTransactions(parts.db)
  try {
    await finishItemsOf(items, parts)
  } catch (error) {
    if (error instanceof Failure || items.length === 1) throw error
    await finishOneByOne(items, parts)
  }
  return true
}

async function finishOneByOne(items: readonly MovingItem[], parts: FinishMovingServices): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) await finishItemsOf([item], parts).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function finishItemsOf(items: readonly MovingItem[], parts: FinishMovingServices): Promise<void> {
  const { db, clock } = parts
  const moves = items.flatMap(({ from, into }): Move[] => (into ? [{ from, into }] : []))
  if (moves.length > 0) {
    await moveLateRows(
      moves.map(({ from }) => from),
      parts,
    )
    await moveHistories(db, moves)
  }
  const deletions = Map.groupBy(
    items.filter(({ kind }) => kind === 'delete'),
    ({ workspace_id }) => workspace_id,
  )
  for (const [workspace_id, own] of deletions) {
    const gone = own.flatMap(({ from, absorbed }) => [from, ...absorbed])
    await removeLateRows(gone, parts)
    await removeHistories(db, workspace_id, gone)
  }
  await finishMoving(db, items, clock.stamp())
}

const options = { settings: shortLockTimeout, assignTransactionId: true }

/**
 * Gives rows that were written late under the ids of merged profiles to those who have them by now. Call it after
 * `waitForOlderTransactions`.
 */
export async function moveLateRows(
  merged: readonly Person[],
  { db, clock, ownedRules }: FinishMovingServices,
): Promise<void> {
  await db.transaction(async (tx) => {
    const moves = await lockMergedProfiles(tx, merged)
    if (moves.length === 0) return
    for (const rule of ownedRules) await rule.merge?.(tx, moves, clock.stamp())
    await mergeLate(tx, moves)
  }, options)
}

/** Deletes rows that were written late under the ids of deleted people. Call it after `waitForOlderTransactions`. */
export async function removeLateRows(
  deleted: readonly Person[],
  { db, ownedRules }: FinishMovingServices,
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const rule of ownedRules) await rule.delete?.(tx, deleted)
    await removeLate(tx, deleted)
  }, options)
}
