import type { Tx } from '../../base/db/db.ts'
import { findHeld } from '../identity/contact-store.ts'
import { type HashAddress, located, type Person } from '../identity/person.ts'
import { byBucketAndHash, hashedAddress } from './suppress.ts'
import { hideAddresses, listAddressesOf } from './suppression-store.ts'

/**
 * Call it before these people, who are locked, are deleted. Leaves only the keyed hash of suppressed addresses that nobody else has: those
 * the people have now and those that messages to them went to (specification 4.7).
 */
export async function forgetAddresses(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  const own = await listAddressesOf(tx, people)
  const addresses = own.map(({ workspace_id, address }) => located(workspace_id, { kind: 'email', value: address }))
  const held = await findHeld(tx, addresses, people)
  const unheld = own.filter((_, i) => !held.has(i))
  const hashed = unheld.map(({ workspace_id, address }) => hashedAddress(workspace_id, address, hashAddress))
  await hideAddresses(tx, hashed.sort(byBucketAndHash))
}
