import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { inheritEmailStates } from '../addresses/apply-states.ts'
import { insertEvents } from '../feed/write-store.ts'
import { insertAliases } from '../identity/alias-store.ts'
import { type ContactRow, deleteContacts, insertContacts } from '../identity/contact-store.ts'
import { addressOf, aliasParts, type Identifier } from '../identity/identifier.ts'
import { updateOwners } from '../identity/identifier-store.ts'
import { bucketsOf, type HashAddress, located, type Person, person } from '../identity/person.ts'
import { type MergePair, mergeByRules, mergeProfiles } from '../merge/merge-profiles.ts'
import type { OwnedRule } from '../merge/owned-rule.ts'
import { updateIdentifierColumn } from '../profile/column-store.ts'
import { blankState, type ProfileState } from '../profile/fold.ts'
import { insertProfiles } from '../profile/state-store.ts'
import type { DeviceAssignment } from './assign-device.ts'
import { type TakenDevice, takeDevice } from './device-store.ts'

export type AssignmentServices = {
  newId(bucket: number): string
  hashAddress: HashAddress
  ownedRules: readonly OwnedRule[]
}

/**
 * The person of a report, who now has the device, whether they are new, and the sessions and tokens that were taken from a previous owner.
 */
export type AppliedAssignment = { person: Person; isNew: boolean; taken: TakenDevice | null }

/** Writes what `assignDevice` decided. `before` is the state of a known person. */
export async function applyAssignment(
  tx: Tx,
  call: Call,
  device: Identifier,
  assignment: DeviceAssignment,
  before: ProfileState | null,
  services: AssignmentServices,
): Promise<AppliedAssignment> {
  const { workspace_id, clock } = call
  const { identifier, givesIdentifier, merged, takesDevice, previousOwner } = assignment
  const target = assignment.person ?? (await createPerson(tx, call, identifier, services))
  const { hashAddress, ownedRules } = services
  if (merged) {
    const pairs: MergePair[] = [{ from: merged, into: target, sdkActivity: 'lost' }]
    await mergeByRules(tx, pairs, { clock, ownedRules })
    await mergeProfiles(tx, pairs, { clock, hashAddress, ownedRules })
  }
  if (givesIdentifier || before === null) await giveIdentifier(tx, workspace_id, target, identifier, before, services)
  if (takesDevice) await setOwner(tx, workspace_id, target, device)
  return {
    person: target,
    isNew: !assignment.person,
    taken: previousOwner ? await takeDevice(tx, previousOwner, device.value) : null,
  }
}

async function createPerson(
  tx: Tx,
  { workspace_id, clock }: Call,
  identifier: Identifier,
  services: AssignmentServices,
): Promise<Person> {
  const { bucket, random_bucket } = bucketsOf(workspace_id, identifier.kind, identifier.value)
  const created = person(bucket, services.newId(bucket))
  const stampUs = clock.stamp()
  await insertProfiles(tx, [{ person: created, workspace_id, random_bucket, state: blankState(identifier), stampUs }])
  await insertEvents(tx, [{ type: 'person.created', workspace_id, person: created, key: created.profile_id, stampUs }])
  return created
}

/** Gives the identifier to the person. With an e-mail address the person takes over the states that are stored for the address. */
async function giveIdentifier(
  tx: Tx,
  workspace_id: number,
  target: Person,
  identifier: Identifier,
  before: ProfileState | null,
  services: AssignmentServices,
): Promise<void> {
  const { kind, value } = identifier
  if (kind === 'external_id' || kind === 'alias') await setOwner(tx, workspace_id, target, identifier)
  if (kind === 'alias') await insertAliases(tx, [{ person: target, ...aliasParts(value) }])
  if (before && (kind === 'external_id' || kind === 'email' || kind === 'phone'))
    await updateIdentifierColumn(tx, target, kind, value)
  if (kind !== 'email' && kind !== 'phone') return
  const contact = (address: string): ContactRow => {
    return { ...located(workspace_id, { kind, value: address }), owner: target }
  }
  const replaced = before && addressOf(before, kind)
  if (replaced !== null) await deleteContacts(tx, [contact(replaced)])
  await insertContacts(tx, [contact(value)])
  if (kind === 'phone') return
  const hidden = services.hashAddress(workspace_id, kind, value)
  await inheritEmailStates(tx, [{ ...contact(value), hidden }], services)
}

function setOwner(tx: Tx, workspace_id: number, owner: Person, who: Identifier): Promise<void> {
  return updateOwners(tx, [{ ...located(workspace_id, who), owner }])
}
