import type { Tx } from '../../../base/db/db.ts'
import { leaveGroups } from '../../../people/addresses/leave-groups.ts'
import { markInvalidPhones } from '../../../people/addresses/mark-invalid-phones.ts'
import type { RefusedAddress, RefusedServices } from '../channel.ts'

/** Marks numbers as invalid that get no text messages, and unsubscribes those that have left a group at the provider. */
export async function recordRefusedNumbers(
  tx: Tx,
  refused: readonly RefusedAddress[],
  { stampUs, hashAddress }: RefusedServices,
): Promise<void> {
  const hard = refused.filter(({ kind }) => kind === 'hard')
  await markInvalidPhones(
    tx,
    hard.map((one) => ({ ...one, phone: one.address, stampUs })),
    hashAddress,
  )
  const left = refused.flatMap(({ workspace_id, address: phone, leftGroup: group_id }) => {
    return group_id === undefined ? [] : [{ workspace_id, phone, group_id, stampUs }]
  })
  await leaveGroups(tx, left, hashAddress)
}
