import type { Tx } from '../../base/db/db.ts'
import { removeAuditedMember } from '../../workspace/audit/store.ts'
import { findHeld } from '../identity/contact-store.ts'
import { toE164 } from '../identity/identifier.ts'
import { type HashAddress, located, type Person } from '../identity/person.ts'
import { hidePhones, listPhonesOf } from './invalid-phone-store.ts'
import { hashedPhone } from './mark-invalid-phones.ts'
import { byBucketAndHash, hashedAddress } from './suppress.ts'
import { hideAddresses, listAddressesOf } from './suppression-store.ts'

/**
 * Deletes the plain text of suppressed addresses and invalid phones that no other person has, so that only a keyed hash remains. These are
 * the addresses and numbers that the people have now, and those to which messages to them were sent (specification 4.7). Call it before the
 * people are deleted, while they are locked.
 */
export async function forgetAddresses(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  await forgetEmails(tx, people, hashAddress)
  await forgetPhones(tx, people, hashAddress)
}

async function forgetEmails(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  const own = await listAddressesOf(tx, people)
  const addresses = own.map(({ workspace_id, address }) => located(workspace_id, { kind: 'email', value: address }))
  const held = await findHeld(tx, addresses, people)
  const unheld = own.filter((_, i) => !held.has(i))
  const hashed = unheld.map(({ workspace_id, address }) => hashedAddress(workspace_id, address, hashAddress))
  await hideAddresses(tx, hashed.sort(byBucketAndHash))
  // The text that an operator gave as the cause can quote the person.
  await removeAuditedMember(
    tx,
    'address',
    hashed.map(({ value }) => value),
    'told',
  )
}

async function forgetPhones(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  const listed = await listPhonesOf(tx, people)
  const own = listed.flatMap(({ workspace_id, address }) => {
    const phone = toE164(address)
    return phone === undefined ? [] : [{ workspace_id, phone }]
  })
  const numbers = own.map(({ workspace_id, phone }) => located(workspace_id, { kind: 'phone', value: phone }))
  const held = await findHeld(tx, numbers, people)
  const unheld = own.filter((_, i) => !held.has(i))
  await hidePhones(
    tx,
    unheld.map(({ workspace_id, phone }) => hashedPhone(workspace_id, phone, hashAddress)).sort(byBucketAndHash),
  )
}
