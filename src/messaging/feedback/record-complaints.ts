import { type EmailStateServices, setEmailStates } from '../../people/addresses/email-status.ts'
import { markSpam } from '../../people/addresses/mark-spam.ts'
import { hashedAddress, suppress } from '../../people/addresses/suppress.ts'
import { findSuppressedAddresses } from '../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import { markComplained } from '../messages/feedback-store.ts'
import type { MessageKey } from '../messages/message.ts'
import { countFeedback } from './count-feedback.ts'

/** A recipient reported a mail as spam. */
export type Complaint = {
  /** Normalised. */
  readonly address: string
  readonly detail: string
  /** The message, if it is known, and whether a complaint about it was recorded before. */
  readonly message?: MessageKey & { readonly complained: boolean }
  /** Nobody has the address, so only its hash is stored. */
  readonly hidden?: boolean
}

/**
 * Records a complaint: unsubscribes and marks the people who have the address, and suppresses it. The mark on the message is written last:
 * if the process is killed before, the next report of the complaint does all of it again. A repeated complaint changes nothing.
 */
export async function recordComplaint(
  services: EmailStateServices,
  complaint: Complaint,
  hashAddress: HashAddress,
): Promise<void> {
  const { db, clock, workspace_id } = services
  const { address, detail, message, hidden = false } = complaint
  const hashed = hashedAddress(workspace_id, address, hashAddress)
  const isKnown = message ? message.complained : (await findSuppressedAddresses(db, [hashed], 'spam')).has(hashed.value)
  if (isKnown) return
  await setEmailStates(services, [address], 'unsubscribed', hashAddress)
  const stampUs = clock.stamp()
  await markSpam(db, workspace_id, address, stampUs)
  await db.transaction(async (tx) => {
    if (message) {
      const marked = await markComplained(tx, message, stampUs)
      if (!marked) return
      await countFeedback(tx, [marked], 'reported_spam', stampUs)
    }
    await suppress(tx, [{ workspace_id, address, reason: 'spam', told: detail, stampUs, hidden }], hashAddress)
  })
}
