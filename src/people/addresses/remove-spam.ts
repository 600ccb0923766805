import type { Call } from '../../base/call.ts'
import { readEmails } from './email-request.ts'
import type { EmailStatusServices } from './email-status.ts'
import { markSpam } from './mark-spam.ts'
import { unsuppress } from './suppress.ts'

const done = { message: 'success' } as const

/** Removes the spam suppression of addresses. Their people stay unsubscribed (contract 10.2). */
export async function removeSpam(
  call: Call,
  body: unknown,
  { hashAddress }: EmailStatusServices,
): Promise<typeof done> {
  const { db, workspace_id } = call
  const emails = readEmails(body)
  await db.transaction((tx) => unsuppress(tx, workspace_id, emails, ['spam'], hashAddress))
  for (const email of emails) await markSpam(db, workspace_id, email, null)
  return done
}
