import type { Tx } from '../../base/db/db.ts'
import { insertEvents, type NewEvent } from '../feed/write-store.ts'
import { type ContactRow, deleteContacts, findHeld } from '../identity/contact-store.ts'
import { addressOf, type Identifier } from '../identity/identifier.ts'
import {
  deleteIdentifiers,
  type IdentifierRow,
  listIdentifiers,
  type OwnedIdentifier,
} from '../identity/identifier-store.ts'
import { type HashAddress, located, type Person, person } from '../identity/person.ts'
import { PersonRemoved } from '../identity/retry-removed.ts'
import { lockMergeStates, type MergeRow } from '../profile/merged-store.ts'
import { type AddressState, ownStateGroup, upsertLaterStates } from '../subscription/address-state-store.ts'
import { type GroupStateRow, listGroupStates } from '../subscription/membership-store.ts'
import type { MergeServices } from './merge-profiles.ts'
import { listMergedProfiles, type MergedProfile } from './merged-profile-store.ts'
import type { DeletedPerson } from './owned-rule.ts'
import { removeOwned } from './owned-store.ts'

/** An address of a deleted person, with the person's group states for that channel. */
type DeletedAddress = ContactRow & { profile: MergeRow; states: readonly GroupStateRow[] }

/**
 * Deletes people with all their data except the history, which is deleted later (`finish-moving.ts`). The states of their addresses remain
 * under a keyed hash (specification 4.7). The caller announces the changes of identifiers. Throws `PersonRemoved`.
 */
export async function deleteProfiles(
  tx: Tx,
  people: readonly Person[],
  services: Pick<MergeServices, 'hashAddress' | 'clock'>,
): Promise<DeletedPerson[]> {
  if (people.length === 0) return []
  const [profiles, identifiers, states, mergedBefore] = await Promise.all([
    lockMergeStates(tx, people),
    listIdentifiers(tx, people),
    listGroupStates(tx, people),
    listMergedProfiles(tx, people),
  ])
  if (profiles.length < people.length) throw new PersonRemoved('a profile was merged away or deleted')
  const statesByPerson = Map.groupBy(states, (state) => state.profile_id)
  const addresses = profiles.flatMap((profile) => addressesOf(profile, statesByPerson.get(profile.profile_id) ?? []))
  const deleted = describeDeleted(profiles, identifiers, mergedBefore, addresses)
  await Promise.all([
    deleteIdentifiers(tx, deleted.flatMap(identifiersOf)),
    deleteContacts(tx, addresses),
    removeOwned(tx, [...people, ...mergedBefore.map(({ from }) => from)]),
  ])
  await upsertLaterStates(tx, statesToKeep(addresses, await findHeld(tx, addresses), services.hashAddress))
  await insertEvents(
    tx,
    profiles.map((profile) => deletionOf(profile, services.clock.stamp())),
  )
  return deleted
}

/** Returns the event of a deletion. It is the only row that still names the person, so that programs can delete their copies. */
function deletionOf({ bucket, profile_id, workspace_id, external_id }: MergeRow, stampUs: number): NewEvent {
  const deleted = { workspace_id, person: person(bucket, profile_id), externalId: external_id }
  return { type: 'person.deleted', key: profile_id, stampUs, ...deleted }
}

function addressesOf(profile: MergeRow, states: readonly GroupStateRow[]): DeletedAddress[] {
  const owner = person(profile.bucket, profile.profile_id)
  return (['email', 'phone'] as const).flatMap((kind) => {
    const value = addressOf(profile, kind)
    if (value === null) return []
    const own = states.filter((state) => state.kind === kind)
    return [{ ...located(profile.workspace_id, { kind, value }), owner, profile, states: own }]
  })
}

function describeDeleted(
  profiles: readonly MergeRow[],
  identifiers: readonly IdentifierRow[],
  mergedBefore: readonly MergedProfile[],
  addresses: readonly DeletedAddress[],
): DeletedPerson[] {
  const identifiersByPerson = Map.groupBy(identifiers, (name) => name.profile_id)
  const mergedByPerson = Map.groupBy(mergedBefore, (merged) => merged.person.profile_id)
  const addressesOf = Map.groupBy(addresses, (address) => address.profile.profile_id)
  return profiles.map(({ bucket, profile_id, workspace_id, external_id }) => {
    const own = [...(identifiersByPerson.get(profile_id) ?? []), ...(addressesOf.get(profile_id) ?? [])]
    const identifiers = own.map(({ kind, value }): Identifier => ({ kind, value }))
    if (external_id !== null) identifiers.push({ kind: 'external_id', value: external_id })
    return {
      workspace_id,
      person: person(bucket, profile_id),
      mergedProfiles: (mergedByPerson.get(profile_id) ?? []).map(({ from }) => from),
      identifiers,
    }
  })
}

function identifiersOf({ workspace_id, person: owner, identifiers }: DeletedPerson): OwnedIdentifier[] {
  return identifiers.map((who) => ({ ...located(workspace_id, who), owner }))
}

/**
 * Returns the states that an address keeps: its own subscription state, if it was ever set, and its group states. When other people also
 * have the address (`held`), the group states are dropped, because they belong to the deleted person alone.
 */
function statesToKeep(
  addresses: readonly DeletedAddress[],
  held: ReadonlySet<number>,
  hashAddress: HashAddress,
): AddressState[] {
  const latest = new Map<string, AddressState>()
  for (const [i, { bucket, workspace_id, kind, value: address, profile, states }] of addresses.entries()) {
    const value = hashAddress(workspace_id, kind, address)
    const { email_subscribe, email_subscribe_at } = profile
    const own = kind === 'email' && email_subscribe_at !== null
    const kept = [
      ...(own ? [{ group_id: ownStateGroup, state: email_subscribe, stamp: email_subscribe_at }] : []),
      ...(held.has(i) ? [] : states),
    ]
    for (const { group_id, state, stamp } of kept) {
      const key = `${value}:${group_id}`
      const before = latest.get(key)
      if (before && before.stampUs >= stamp) continue
      latest.set(key, { bucket, workspace_id, kind, value, group_id, state, stampUs: stamp })
    }
  }
  return [...latest.values()]
}
