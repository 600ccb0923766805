import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { deleteRefused } from '../../people/received/forget-store.ts'
import { timeBefore } from '../../workspace/settings/duration.ts'
import type { RetentionWorkspace } from '../delivery/forget-orders.ts'
import type { EntryKey } from '../entries/entry.ts'
import { deleteEntryRows, listEndedEntries } from '../entries/forget-store.ts'
import { deleteEngagements } from '../feedback/engagement-store.ts'
import { deleteEntryMessages } from '../messages/forget-store.ts'

/** Entries that one transaction deletes with their messages, in some tens of milliseconds. */
const entriesMax = 1_000
const refusedMax = 10_000
/** Longer than `refusalRecordedMs`, for which the row is read. */
export const refusedKeptMs = 2 * 24 * 60 * 60 * 1000

/**
 * Deletes entries of these workspaces that ended longer ago than `settings.ledger_retention`, with their messages and engagements, page by
 * page. Received rows stay as long as their people, because re-entry is checked against them.
 */
export async function forgetEntries(
  db: Db,
  clock: Clock,
  workspaces: readonly RetentionWorkspace[],
  stopping: AbortSignal,
): Promise<void> {
  for (const { workspace_id, settings } of workspaces) {
    const beforeMs = timeBefore(clock.now(), settings.ledger_retention)
    let full = true
    while (full && !stopping.aborted) {
      const page = await listEndedEntries(db, workspace_id, beforeMs, entriesMax)
      if (page.length > 0) await db.transaction((tx) => deleteWithMessages(tx, page))
      full = page.length === entriesMax
    }
  }
}

async function deleteWithMessages(tx: Tx, entries: readonly EntryKey[]): Promise<void> {
  await deleteEngagements(tx, await deleteEntryMessages(tx, entries))
  await deleteEntryRows(tx, entries)
}

/** Deletes received rows of people who were refused and never entered. */
export async function forgetRefused(db: Db, clock: Clock, stopping: AbortSignal): Promise<void> {
  const beforeMs = clock.now() - refusedKeptMs
  while (!stopping.aborted && (await deleteRefused(db, beforeMs, refusedMax)) === refusedMax);
}
