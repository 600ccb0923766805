import type { Tx } from '../../base/db/db.ts'
import { type HashAddress, type Person, placeOf } from '../identity/person.ts'
import { byPlace, hiddenPlace } from './suppress.ts'
import { findOthersHold, hideAddresses, listLeft } from './suppression-store.ts'

/**
 * Before these people (locked) are deleted: of the addresses that nobody else has, theirs now or one they were written to at, only the
 * keyed hash stays suppressed (specification 4.7).
 */
export async function forgetAddresses(tx: Tx, people: readonly Person[], hashAddress: HashAddress): Promise<void> {
  const left = await listLeft(tx, people)
  const addresses = left.map((each) => ({ ...each, bucket: placeOf(each.workspace_id, 'email', each.address).bucket }))
  const held = await findOthersHold(tx, addresses, people)
  const gone = addresses.filter((_, i) => !held.has(i))
  const places = gone.map(({ workspace_id, address }) => hiddenPlace(workspace_id, address, hashAddress))
  await hideAddresses(tx, places.sort(byPlace))
}
