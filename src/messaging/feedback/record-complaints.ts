import { type EmailStateServices, setEmailStates } from '../../people/addresses/email-status.ts'
import { markSpam } from '../../people/addresses/mark-spam.ts'
import { hashedAddress, suppress } from '../../people/addresses/suppress.ts'
import { findSuppressedAddresses } from '../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import { markComplained } from '../messages/feedback-store.ts'
import type { MessageKey } from '../messages/message.ts'

/** That somebody called a mail spam. */
export type Complaint = {
  /** Normalised. */
  readonly address: string
  readonly detail: string
  /** The message it is about, where that is known, and whether a complaint about it was noted before. */
  readonly message?: MessageKey & { readonly complained: boolean }
  /** Nobody here has the address: only its hash is kept. */
  readonly hidden?: boolean
}

/**
 * Notes a complaint: whoever has the address is unsubscribed and marked, the address suppressed. That it was noted is written last, so
 * that one which a kill has cut off is noted whole when it is told again; told twice it changes nothing more.
 */
export async function recordComplaint(
  saying: EmailStateServices,
  complaint: Complaint,
  hashAddress: HashAddress,
): Promise<void> {
  const { db, clock, workspace_id } = saying
  const { address, detail, message, hidden = false } = complaint
  const place = hashedAddress(workspace_id, address, hashAddress)
  const known = message ? message.complained : (await findSuppressedAddresses(db, [place], 'spam')).has(place.value)
  if (known) return
  await setEmailStates(saying, [address], 'unsubscribed', hashAddress)
  const stampUs = clock.stamp()
  await markSpam(db, workspace_id, address, stampUs)
  await db.transaction(async (tx) => {
    if (message && !(await markComplained(tx, message, stampUs))) return
    await suppress(tx, [{ workspace_id, address, reason: 'spam', told: detail, stampUs, hidden }], hashAddress)
  })
}
