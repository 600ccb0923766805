import type { Db } from '../../base/db/db.ts'
import { trimMails } from '../mail/inbox-store.ts'
import { inboxBytesMax, inboxMailsMax } from './schema.ts'

/** Deletes the oldest messages of each workspace beyond the limits of the inbox. */
export async function trimInbox(db: Db, workspaces: readonly { workspace_id: number }[]): Promise<void> {
  for (const { workspace_id } of workspaces) await trimMails(db, workspace_id, inboxMailsMax, inboxBytesMax)
}
