import type { Call } from '../../base/call.ts'
import { readEmails } from './email-request.ts'
import { type EmailStatusServices, setEmailStates } from './email-status.ts'
import { suppress } from './suppress.ts'

const done = { message: 'success' } as const

/** Unsubscribes all people who have these addresses now or later, and counts the addresses as bounced (contract 10.2). */
export async function blockAddresses(
  call: Call,
  body: unknown,
  { hashAddress }: EmailStatusServices,
): Promise<typeof done> {
  const { db, clock, workspace_id } = call
  const emails = readEmails(body)
  await db.transaction((tx) => {
    const stampUs = clock.stamp()
    const entries = emails.map((address) => ({
      address,
      reason: 'blocklist' as const,
      told: null,
      stampUs,
      workspace_id,
    }))
    return suppress(tx, entries, hashAddress)
  })
  await setEmailStates(call, emails, 'unsubscribed', hashAddress)
  return done
}
