import type { Tx } from '../../base/db/db.ts'
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

/** One address of a deleted person, as it is looked up, and what was said of it through them. */
type DeletedAddress = ContactRow & { profile: MergeRow; states: readonly GroupStateRow[] }

/**
 * Deletes people with everything but their history, which follows (`sweep.ts`); throws `PersonRemoved` when one is gone. What was said
 * of their addresses stays under a keyed hash (specification 4.7). Telling the caches is left to the caller.
 */
export async function deleteProfiles(
  tx: Tx,
  people: readonly Person[],
  parts: Pick<MergeServices, 'hashAddress'>,
): Promise<DeletedPerson[]> {
  if (people.length === 0) return []
  const [profiles, names, states, stubs] = await Promise.all([
    lockMergeStates(tx, people),
    listIdentifiers(tx, people),
    listGroupStates(tx, people),
    listMergedProfiles(tx, people),
  ])
  if (profiles.length < people.length) throw new PersonRemoved('a profile was merged away or deleted')
  const statesOf = Map.groupBy(states, (state) => state.profile_id)
  const left = profiles.flatMap((profile) => addressesOf(profile, statesOf.get(profile.profile_id) ?? []))
  const erased = describeDeleted(profiles, names, stubs, left)
  await Promise.all([
    deleteIdentifiers(tx, erased.flatMap(identifiersOf)),
    deleteContacts(tx, left),
    removeOwned(tx, [...people, ...stubs.map(({ from }) => from)]),
  ])
  await upsertLaterStates(tx, statesToKeep(left, await findHeld(tx, left), parts.hashAddress))
  return erased
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
  names: readonly IdentifierRow[],
  stubs: readonly MergedProfile[],
  left: readonly DeletedAddress[],
): DeletedPerson[] {
  const namesOf = Map.groupBy(names, (name) => name.profile_id)
  const stubsOf = Map.groupBy(stubs, (stub) => stub.person.profile_id)
  const addressesOf = Map.groupBy(left, (address) => address.profile.profile_id)
  return profiles.map(({ bucket, profile_id, workspace_id, external_id }) => {
    const own = [...(namesOf.get(profile_id) ?? []), ...(addressesOf.get(profile_id) ?? [])]
    const identifiers = own.map(({ kind, value }): Identifier => ({ kind, value }))
    if (external_id !== null) identifiers.push({ kind: 'external_id', value: external_id })
    return {
      workspace_id,
      person: person(bucket, profile_id),
      mergedProfiles: (stubsOf.get(profile_id) ?? []).map(({ from }) => from),
      identifiers,
    }
  })
}

function identifiersOf({ workspace_id, person: owner, identifiers }: DeletedPerson): OwnedIdentifier[] {
  return identifiers.map((who) => ({ ...located(workspace_id, who), owner }))
}

/**
 * The e-mail's own state, once somebody has set it, and the states of the groups that write to the address. What was said of one
 * person alone is not said of others who have the address too (`held`).
 */
function statesToKeep(
  left: readonly DeletedAddress[],
  held: ReadonlySet<number>,
  hashAddress: HashAddress,
): AddressState[] {
  const latest = new Map<string, AddressState>()
  for (const [i, { bucket, workspace_id, kind, value: plain, profile, states }] of left.entries()) {
    const value = hashAddress(workspace_id, kind, plain)
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
