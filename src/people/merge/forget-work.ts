import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { deleteItems } from './work-store.ts'

/** How long a finished item is kept. */
export const workKeptMs = 30 * 24 * 60 * 60 * 1000
const pageMax = 2_000

/** Deletes old finished work items of these workspaces, page by page. */
export async function forgetWork(db: Db, clock: Clock, workspaces: readonly { workspace_id: number }[]): Promise<void> {
  for (const { workspace_id } of workspaces) {
    while ((await deleteItems(db, workspace_id, clock.now() - workKeptMs, pageMax)) === pageMax);
  }
}
