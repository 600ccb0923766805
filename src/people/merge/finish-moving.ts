import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import { waitForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { Failure } from '../../base/errors.ts'
import { eraseMarked } from '../../workspace/audit/erase-marked.ts'
import type { Move, Person } from '../identity/person.ts'
import { lockMergedProfiles } from './merged-profile-store.ts'
import { deleteHistory, moveHistory } from './move-history.ts'
import type { OwnedRule } from './owned-rule.ts'
import { mergeLate, removeLate } from './owned-store.ts'
import { finishMoving, listMoving, type MovingItem } from './work-store.ts'

export type FinishMovingServices = { db: Db; clock: Clock; ownedRules: readonly OwnedRule[] }

/** Items that are finished together. */
const itemsMax = 50

/**
 * Moves or deletes the rows that are still stored under the ids of merged and deleted people, and finishes their work items. Returns false
 * when there were none. An item that fails does not stop the others: it remains, and the first error is thrown at the end.
 */
export async function finishMovingItems(services: FinishMovingServices): Promise<boolean> {
  const items = await listMoving(services.db, itemsMax)
  if (items.length === 0) return false
  // After this, no transaction can write rows under a removed id.
  await waitForOlderTransactions(services.db)
  try {
    await finishItemsOf(items, services)
  } catch (error) {
    if (error instanceof Failure || items.length === 1) throw error
    await finishOneByOne(items, services)
  }
  return true
}

async function finishOneByOne(items: readonly MovingItem[], services: FinishMovingServices): Promise<void> {
  const failures: unknown[] = []
  for (const item of items) await finishItemsOf([item], services).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function finishItemsOf(items: readonly MovingItem[], services: FinishMovingServices): Promise<void> {
  const { db, clock } = services
  const moves = items.flatMap(({ from, into }): Move[] => (into ? [{ from, into }] : []))
  if (moves.length > 0) {
    await moveLateRows(
      moves.map(({ from }) => from),
      services,
    )
    await moveHistory(db, moves)
  }
  const deletions = items.filter(({ kind }) => kind === 'delete')
  if (deletions.length > 0) {
    const removed = deletions.flatMap(({ from, mergedProfiles }) => [from, ...mergedProfiles])
    await removeLateRows(removed, services)
    await deleteHistory(db, removed)
    await eraseMarked(db)
  }
  await finishMoving(db, items, clock.stamp())
}

const options = { settings: shortLockTimeout }

/**
 * Moves rows that were written late under the ids of merged profiles to the profiles that are kept now. Call it after
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
