import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { timeBefore } from '../../workspace/settings/duration.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { deleteEventsBefore, findFirstPosition, raiseLostPosition } from './read-store.ts'

/** The positions that are looked at in one transaction. */
const spanMax = 5_000n

/**
 * Deletes the events that are older than `settings.feed_retention`, the oldest positions first. Stops at a span that has none, because
 * positions follow the times of events closely.
 */
export async function forgetEvents(
  db: Db,
  clock: Clock,
  workspaces: Pick<Workspaces, 'all'>,
  stopping: AbortSignal,
): Promise<void> {
  for (const { workspace_id, settings } of workspaces.all()) {
    const beforeMs = timeBefore(clock.now(), settings.feed_retention)
    for (;;) {
      if (stopping.aborted) return
      const first = await findFirstPosition(db, workspace_id)
      if (first === undefined) break
      const after = first - 1n
      const deleted = await db.transaction(async (tx) => {
        const last = await deleteEventsBefore(tx, workspace_id, { after, upTo: after + spanMax }, beforeMs)
        if (last !== undefined) await raiseLostPosition(tx, workspace_id, last)
        return last
      })
      if (deleted === undefined) break
    }
  }
}
