import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { deleteItems } from './work-store.ts'

/** What became of an item can be read for so long. */
const keptMs = 30 * 24 * 60 * 60 * 1000
const pageMax = 2_000

/** Forgets items of these workspaces that were done long ago, page by page. */
export async function forgetWork(db: Db, clock: Clock, workspaces: readonly { workspace_id: number }[]): Promise<void> {
  for (const { workspace_id } of workspaces) {
    while ((await deleteItems(db, workspace_id, clock.now() - keptMs, pageMax)) === pageMax);
  }
}
