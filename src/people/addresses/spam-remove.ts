import type { Call } from '../../base/call.ts'
import { readEmails } from './asked.ts'
import { markSpam } from './spam.ts'
import type { EmailStatusParts } from './status.ts'
import { unsuppress } from './suppress.ts'

const done = { message: 'success' } as const

/** Takes addresses off the list of those whose people called mail spam; they stay unsubscribed (contract 10.2). */
export async function removeSpam(call: Call, body: unknown, { hashAddress }: EmailStatusParts): Promise<typeof done> {
  const { db, workspace_id } = call
  const emails = readEmails(body)
  await db.transaction((tx) => unsuppress(tx, workspace_id, emails, ['spam'], hashAddress))
  for (const email of emails) await markSpam(db, workspace_id, email, null)
  return done
}
