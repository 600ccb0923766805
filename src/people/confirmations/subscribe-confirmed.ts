import type { Tx } from '../../base/db/db.ts'
import { hashedPhone } from '../addresses/mark-invalid-phones.ts'
import { type OptInServices, optInAddress } from '../addresses/opt-in-address.ts'
import { hashedAddress } from '../addresses/suppress.ts'
import type { Person } from '../identity/person.ts'
import { upsertAddressStates } from '../subscription/address-state-store.ts'
import { insertAddressStateEvents } from '../subscription/group-events-store.ts'
import { upsertMemberships } from '../subscription/membership-store.ts'

/** Who is subscribed to which group by a confirmation. */
export type ConfirmedSubscription = {
  readonly person: Person
  readonly workspace_id: number
  readonly group_id: number
  readonly channel: 'email' | 'sms'
  readonly address: string
  /** Epoch microseconds. */
  readonly stampUs: number
}

/**
 * Subscribes the person and the address to the group, and records that an e-mail address has opted in. This is the only place where a
 * confirmation changes the state of people.
 */
export async function subscribeConfirmed(
  tx: Tx,
  { person, workspace_id, group_id, channel, address, stampUs }: ConfirmedSubscription,
  services: OptInServices,
): Promise<void> {
  // Text messages have no state beside those of groups.
  if (channel === 'email') await optInAddress(tx, { workspace_id, email: address }, stampUs, services)
  const hashed = channel === 'email' ? hashedAddress : hashedPhone
  const { bucket, value } = hashed(workspace_id, address, services.hashAddress)
  const kind = channel === 'email' ? 'email' : 'phone'
  const state = { bucket, workspace_id, kind, value, group_id, state: 'subscribed', stampUs } as const
  await insertAddressStateEvents(tx, [{ ...state, address }])
  await upsertMemberships(tx, [{ person, group_id, state: 'subscribed', stampUs }])
  await upsertAddressStates(tx, [state])
}
