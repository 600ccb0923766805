import type { Tx } from '../../base/db/db.ts'
import type { HashAddress } from '../identity/person.ts'
import { upsertAddressStates } from '../subscription/address-state-store.ts'
import { insertAddressStateEvents } from '../subscription/group-events-store.ts'
import { hashedPhone } from './mark-invalid-phones.ts'
import { byBucketAndHash } from './suppress.ts'

/** A number that has left a subscription group for text messages. `phone` is in E.164, `stampUs` epoch microseconds. */
export type LeftGroup = {
  readonly workspace_id: number
  readonly phone: string
  readonly group_id: number
  readonly stampUs: number
}

/** Unsubscribes phone numbers from groups, and so all people who have them now or later. */
export async function leaveGroups(tx: Tx, left: readonly LeftGroup[], hashAddress: HashAddress): Promise<void> {
  const rows = left.map(({ workspace_id, phone, group_id, stampUs }) => {
    const key = hashedPhone(workspace_id, phone, hashAddress)
    return { ...key, kind: 'phone', address: phone, group_id, state: 'unsubscribed', stampUs } as const
  })
  // Two texts of one group to one number can be refused in the same transaction.
  const one = new Map(rows.map((row) => [`${row.workspace_id} ${row.value} ${row.group_id}`, row]))
  const sorted = [...one.values()].sort((a, b) => byBucketAndHash(a, b) || a.group_id - b.group_id)
  await insertAddressStateEvents(tx, sorted)
  await upsertAddressStates(tx, sorted)
}
