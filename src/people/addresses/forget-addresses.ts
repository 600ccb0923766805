import type { Tx } from '../../base/db/db.ts'
import { removeAuditedMember } from '../../workspace/audit/store.ts'
import { findHeld } from '../identity/contact-store.ts'
import { type HashAddress, located, type Person } from '../identity/person.ts'
import { byBucketAndHash, hashedAddress } from './suppress.ts'
import { hideAddresses, listAddressesOf } from './suppression-store.ts'

/**
 * Deletes the plain text of suppressed addresses that no other person has, so that only a keyed hash remains. These are the addresses that
 * the people have now, and those to which messages to them were sent (specification 4.7). Call it before the people are deleted, while they
 * are locked.
 */
export async function forgetAddresses(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
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
