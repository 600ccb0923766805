import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { setEmailStates } from '../../people/addresses/email-status.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findRecipient, type MessageRecipient } from '../../people/addresses/recipient-store.ts'
import { hashedAddress, unsuppress } from '../../people/addresses/suppress.ts'
import { listSuppressionReasons, type SuppressionReason } from '../../people/addresses/suppression-store.ts'
import { waitForHandOvers } from '../../people/addresses/wait-for-hand-over.ts'
import { toEmail } from '../../people/identity/identifier.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import { updateEmailState } from '../../people/profile/email-state-store.ts'
import type { SubscribeState } from '../../people/profile/standard.ts'
import { recordEngagements } from './record-engagements.ts'

export type UnsubscribeServices = { readonly clock: Clock; readonly hashAddress: HashAddress }

/**
 * Ends all marketing mail to whom a message was written to: the address that it went to and the one the person has now are unsubscribed,
 * with everybody who has them, as by `/email/status`; the message is noted as the one that led to it. Answers who it was before, when
 * nothing more is on its way to them (`outlastHandedOver`); undefined when the person was deleted. Twice is as good as once.
 */
export async function unsubscribe(
  db: Db,
  parts: UnsubscribeServices,
  named: TokenTarget,
): Promise<MessageRecipient | undefined> {
  const recipient = await findRecipient(db, named)
  if (!recipient) return undefined
  await setOwnState(db, parts, recipient, 'unsubscribed')
  if (recipient.email_subscribe !== 'unsubscribed') {
    const atMs = parts.clock.now()
    const noted = {
      named,
      kind: 'unsubscribed',
      link: -1,
      isMachine: false,
      firstMs: atMs,
      lastMs: atMs,
      count: 1,
    } as const
    await recordEngagements(db, [noted], { promptMs: 0 })
  }
  await waitForHandOvers(db, recipient.workspace_id, addressesOf(recipient))
  return recipient
}

/**
 * Takes back what a recipient has said against mail, by their own wish: that they are unsubscribed, as by `/email/status`, and that they
 * called a mail spam. What mail servers and the operator say of the address stays (`stoppedBy`).
 */
export async function subscribe(
  db: Db,
  parts: UnsubscribeServices,
  recipient: MessageRecipient,
  state: 'opted_in' | 'subscribed',
): Promise<void> {
  if (recipient.email_subscribe === 'unsubscribed') await setOwnState(db, parts, recipient, state)
  const { workspace_id } = recipient
  await db.transaction((tx) => unsuppress(tx, workspace_id, addressesOf(recipient), ['spam'], parts.hashAddress))
}

/** Why nothing is sent to the address that a recipient has now, whatever they want. */
export async function listActiveSuppressions(
  db: Db,
  { hashAddress }: UnsubscribeServices,
  { workspace_id, email }: MessageRecipient,
): Promise<readonly SuppressionReason[]> {
  const address = email === null ? undefined : toEmail(email)
  return address ? listSuppressionReasons(db, hashedAddress(workspace_id, address, hashAddress)) : []
}

/** Gives a recipient an e-mail state: through the addresses, or alone when there is none. */
async function setOwnState(
  db: Db,
  { clock, hashAddress }: UnsubscribeServices,
  recipient: MessageRecipient,
  state: SubscribeState,
): Promise<void> {
  const { workspace_id, person } = recipient
  const emails = addressesOf(recipient)
  if (emails.length === 0) return updateEmailState(db, person, state, clock.stamp())
  return setEmailStates({ db, clock, workspace_id }, emails, state, hashAddress)
}

/** Where a message went and what the person's address is now, normalised, each once. */
export function addressesOf({ address, email }: Pick<MessageRecipient, 'address' | 'email'>): string[] {
  return [...new Set([address, email].flatMap((each) => (each === null ? [] : (toEmail(each) ?? []))))]
}
