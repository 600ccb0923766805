import type { Tx } from '../../base/db/db.ts'
import { type OptInServices, optInAddress } from '../addresses/opt-in-address.ts'
import { hashedAddress } from '../addresses/suppress.ts'
import type { Person } from '../identity/person.ts'
import { upsertAddressStates } from '../subscription/address-state-store.ts'
import { upsertMemberships } from '../subscription/membership-store.ts'
import { tellAddressStates } from '../subscription/tell-groups-store.ts'

/** Who is subscribed to which group by a confirmation. */
export type ConfirmedSubscription = {
  readonly person: Person
  readonly workspace_id: number
  readonly group_id: number
  readonly address: string
  /** Epoch microseconds. */
  readonly stampUs: number
}

/**
 * Subscribes the person and the address to the group, and records that the address has opted in. This is the only place where a
 * confirmation changes the state of people.
 */
export async function subscribeConfirmed(
  tx: Tx,
  { person, workspace_id, group_id, address, stampUs }: ConfirmedSubscription,
  services: OptInServices,
): Promise<void> {
  await optInAddress(tx, { workspace_id, email: address }, stampUs, services)
  const { bucket, value } = hashedAddress(workspace_id, address, services.hashAddress)
  const state = { bucket, workspace_id, kind: 'email', value, group_id, state: 'subscribed', stampUs } as const
  await tellAddressStates(tx, [{ ...state, address }])
  await upsertMemberships(tx, [{ person, group_id, state: 'subscribed', stampUs }])
  await upsertAddressStates(tx, [state])
}
