import type { Tx } from '../../base/db/db.ts'
import type { HashAddress } from '../identity/person.ts'
import { type EmailState, upsertEmailStates } from '../subscription/address-state-store.ts'
import { applyAndRecordStates, type RecordingServices } from './apply-states.ts'
import { listAddressOwners } from './owner-store.ts'
import { hashedAddress } from './suppress.ts'

/** The most people with one address who get the state. Those beyond them keep their own. */
export const optedInOwnersMax = 1_000

export type OptInServices = RecordingServices & { readonly hashAddress: HashAddress }

/**
 * Records in one transaction that the owner of an address has opted in: for the address, and for the people who have it now. A state with a
 * later stamp, of a process whose clock is ahead, does not win.
 */
export async function optInAddress(
  tx: Tx,
  { workspace_id, email }: { readonly workspace_id: number; readonly email: string },
  stampUs: number,
  services: OptInServices,
): Promise<void> {
  const { bucket, value: hidden } = hashedAddress(workspace_id, email, services.hashAddress)
  const state: EmailState = { bucket, workspace_id, email, hidden, state: 'opted_in', stampUs }
  const owners = await listAddressOwners(tx, [state], undefined, optedInOwnersMax)
  const latestUs = owners.reduce((latest, { stateUs = 0 }) => Math.max(latest, stateUs + 1), stampUs)
  const [stored] = await upsertEmailStates(tx, [{ ...state, stampUs: latestUs }])
  const states = owners.map(({ person }) => {
    return { person, email, state: 'opted_in', stampUs: stored!.stampUs } as const
  })
  await applyAndRecordStates(tx, states, services)
}
