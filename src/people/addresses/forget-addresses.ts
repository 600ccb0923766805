import type { Tx } from '../../base/db/db.ts'
import { findHeld } from '../identity/contact-store.ts'
import { type HashAddress, located, type Person } from '../identity/person.ts'
import { byBucketAndHash, hashedAddress } from './suppress.ts'
import { hideAddresses, listAddressesOf } from './suppression-store.ts'

/**
 * Before these people (locked) are deleted: of the addresses that nobody else has, theirs now or one they were written to at, only the
 * keyed hash stays suppressed (specification 4.7).
 */
export async function forgetAddresses(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  const left = await listAddressesOf(tx, people)
  const addresses = left.map(({ workspace_id, address }) => located(workspace_id, { kind: 'email', value: address }))
  const held = await findHeld(tx, addresses, people)
  const gone = left.filter((_, i) => !held.has(i))
  const places = gone.map(({ workspace_id, address }) => hashedAddress(workspace_id, address, hashAddress))
  await hideAddresses(tx, places.sort(byBucketAndHash))
}
