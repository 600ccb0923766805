import { registerAnnouncement } from '../../base/db/announcement.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
import {
  type FeedTurn,
  insertFeed,
  isFeedWanted,
  listTurns,
  lockFeed,
  numberEvents,
  switchFeedOff,
  switchFeedOn,
} from './number-store.ts'

/** The most events that get a position in one transaction. */
export const numberedMax = 1_000

/** The workspaces whose feeds have new positions, how many these are, and whether events still wait for one. */
export type Numbered = { readonly workspaces: readonly number[]; readonly count: number; readonly more: boolean }

/**
 * Gives positions to the events that were written since, at most `numberedMax` for each workspace. Takes one query when there are none.
 */
export async function numberAll(db: Db): Promise<Numbered> {
  const workspaces: number[] = []
  let total = 0
  let more = false
  for (const turn of await listTurns(db)) {
    if (turn.is_on === null) await insertFeed(db, turn.workspace_id)
    if (!turn.waits && (turn.is_on ?? true) === turn.wanted) continue
    const count = await numberOne(db, turn)
    if (count > 0) workspaces.push(turn.workspace_id)
    total += count
    more ||= count === numberedMax
  }
  return { workspaces, count: total, more }
}

/** Numbers the events of one workspace, and stores that its feed was switched on or off. */
function numberOne(db: Db, { workspace_id, wanted }: FeedTurn): Promise<number> {
  return db.transaction(
    async (tx) => {
      const feed = await lockFeed(tx, workspace_id)
      if (!feed) return 0
      await registerAnnouncement(tx)
      const current = wanted && !feed.is_on ? await switchFeedOn(tx, feed) : feed
      const count = await numberEvents(tx, current, numberedMax)
      const mayEnd = !wanted && feed.is_on && count < numberedMax
      // Somebody may have made a webhook since `wanted` was read.
      if (mayEnd && !(await isFeedWanted(tx, workspace_id))) await switchFeedOff(tx, workspace_id)
      return count
    },
    { settings: shortLockTimeout },
  )
}
