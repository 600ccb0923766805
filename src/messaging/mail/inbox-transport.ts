import type { Db } from '../../base/db/db.ts'
import { inboxBytesMax, inboxMailsMax } from './inbox-schema.ts'
import { insertMails, trimMails } from './inbox-store.ts'
import type { InboxTransport, JudgeMail } from './transport.ts'

export type InboxServices = { newId(bucket: number): string; readonly judgeMail?: JudgeMail | undefined }

/** Delivers into the database, for `GET /admin/inbox`. Used if no mail server is configured. */
export function openInbox({ newId, judgeMail }: InboxServices): InboxTransport {
  return {
    kind: 'inbox',
    judge: judgeMail,
    insert: (tx, mails) =>
      insertMails(
        tx,
        mails.flatMap(({ bucket, profile_id, message_id, workspace_id, address, envelope, subject, stampUs, raw }) => {
          const common = { bucket, profile_id, workspace_id, message_id, subject, atUs: stampUs, source: raw }
          // The inbox lists the newest first: a copy follows its mail there.
          const addresses = [...envelope.to.slice(1), address]
          return addresses.map((to) => ({ ...common, mail_id: newId(bucket), address: to }))
        }),
      ),
    close: async () => {},
  }
}

/** Deletes the oldest mails of each workspace beyond the limits of the inbox. */
export async function trimInbox(db: Db, workspaces: readonly { workspace_id: number }[]): Promise<void> {
  for (const { workspace_id } of workspaces) await trimMails(db, workspace_id, inboxMailsMax, inboxBytesMax)
}
