import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { shortLockTimeout } from '../../base/db/transaction-settings.ts'
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
 * Ends all marketing mail to the recipient of a message. Unsubscribes the address of the message and the person's current one for all
 * people who have them, as `/email/status` does, and records the message as the cause. Waits until no mail to them is in flight
 * (`waitForHandOvers`). Returns the recipient as before the call, or undefined if the person was deleted. May be repeated.
 */
export async function unsubscribe(
  db: Db,
  services: UnsubscribeServices,
  target: TokenTarget,
): Promise<MessageRecipient | undefined> {
  const recipient = await findRecipient(db, target)
  if (!recipient) return undefined
  await setOwnState(db, services, recipient, 'unsubscribed')
  if (recipient.email_subscribe !== 'unsubscribed') {
    const atMs = services.clock.now()
    const engagement = {
      target,
      kind: 'unsubscribed',
      link: -1,
      isMachine: false,
      firstMs: atMs,
      lastMs: atMs,
      count: 1,
    } as const
    await recordEngagements(db, [engagement], { promptMs: 0, stamp: () => services.clock.stamp() })
  }
  await waitForHandOvers(db, recipient.workspace_id, addressesOf(recipient))
  return recipient
}

/**
 * Subscribes a recipient again: changes the e-mail state, as by `/email/status`, and removes the suppression after a spam complaint.
 * Suppressions by bounces and by the operator stay (`listActiveSuppressions`).
 */
export async function subscribe(
  db: Db,
  services: UnsubscribeServices,
  recipient: MessageRecipient,
  state: 'opted_in' | 'subscribed',
): Promise<void> {
  if (recipient.email_subscribe === 'unsubscribed') await setOwnState(db, services, recipient, state)
  const { workspace_id } = recipient
  await db.transaction((tx) => unsuppress(tx, workspace_id, addressesOf(recipient), ['spam'], services.hashAddress))
}

/** Records that a recipient who is subscribed has opted in. */
export async function optIn(db: Db, services: UnsubscribeServices, recipient: MessageRecipient): Promise<void> {
  if (recipient.email_subscribe === 'subscribed') await setOwnState(db, services, recipient, 'opted_in')
}

/** Lists why nothing is sent to the recipient's current address, independently of the preferences. */
export async function listActiveSuppressions(
  db: Db,
  { hashAddress }: UnsubscribeServices,
  { workspace_id, email }: MessageRecipient,
): Promise<readonly SuppressionReason[]> {
  const address = email === null ? undefined : toEmail(email)
  return address ? listSuppressionReasons(db, hashedAddress(workspace_id, address, hashAddress)) : []
}

/** Sets the e-mail state of a recipient through the addresses, or directly if there is none. */
async function setOwnState(
  db: Db,
  { clock, hashAddress }: UnsubscribeServices,
  recipient: MessageRecipient,
  state: SubscribeState,
): Promise<void> {
  const { workspace_id, person } = recipient
  const emails = addressesOf(recipient)
  if (emails.length === 0)
    return db.transaction((tx) => updateEmailState(tx, person, state, clock.stamp()), { settings: shortLockTimeout })
  return setEmailStates({ db, clock, workspace_id }, emails, state, hashAddress)
}

/** Returns the address of the message and the person's current address, normalised and without duplicates. */
export function addressesOf({ address, email }: Pick<MessageRecipient, 'address' | 'email'>): string[] {
  return [...new Set([address, email].flatMap((each) => (each === null ? [] : (toEmail(each) ?? []))))]
}
