import type { Db } from '../../base/db/db.ts'
import { inboxBytesMax, inboxMailsMax } from './inbox-schema.ts'
import { insertMails, trimMails } from './inbox-store.ts'
import type { InboxTransport } from './transport.ts'

export type InboxServices = { newId(bucket: number): string }

/** Delivers into the database, for `GET /admin/inbox`. Used if no mail server is configured. */
export function openInbox({ newId }: InboxServices): InboxTransport {
  return {
    kind: 'inbox',
    insert: (tx, mails) =>
      insertMails(
        tx,
        mails.map(({ bucket, profile_id, message_id, workspace_id, address, subject, stampUs, raw }) => {
          const mail_id = newId(bucket)
          return { bucket, profile_id, mail_id, workspace_id, message_id, address, subject, atUs: stampUs, source: raw }
        }),
      ),
    close: async () => {},
  }
}

/** Deletes the oldest mails of each workspace beyond the limits of the inbox. */
export async function trimInbox(db: Db, workspaces: readonly { workspace_id: number }[]): Promise<void> {
  for (const { workspace_id } of workspaces) await trimMails(db, workspace_id, inboxMailsMax, inboxBytesMax)
}
