import type { Call } from '../../base/call.ts'
import { readEmails } from './email-request.ts'
import type { EmailStatusServices } from './email-status.ts'
import { unsuppress } from './suppress.ts'

const done = { message: 'success' } as const

/** Removes addresses from the list of hard bounces, for every reason (contract 10.2). */
export async function removeBounces(
  call: Call,
  body: unknown,
  { hashAddress }: EmailStatusServices,
): Promise<typeof done> {
  const { db, workspace_id } = call
  const emails = readEmails(body)
  const reasons = ['hard_bounce', 'soft_bounces', 'blocklist'] as const
  await db.transaction((tx) => unsuppress(tx, workspace_id, emails, reasons, hashAddress))
  return done
}
