import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { type ContactRow, deleteContacts, insertContacts } from '../identity/contact-store.ts'
import { addressOf, aliasParts } from '../identity/identifier.ts'
import {
  deleteIdentifiers,
  type IdentifierRow,
  listIdentifiers,
  type OwnedIdentifier,
  repointIdentifiers,
} from '../identity/identifier-store.ts'
import { type HashAddress, located, type Person } from '../identity/person.ts'
import { PersonRemoved } from '../identity/retry-removed.ts'
import { type AppUseRow, listAppUseStates, saveAppUse } from '../profile/app-use-store.ts'
import { blankState, type MergeState } from '../profile/fold.ts'
import {
  lockMergeStates,
  type MergeRow,
  repointMergedProfiles,
  type SavedMerge,
  saveMergeStates,
} from '../profile/merged-store.ts'
import { findStoredStates } from '../subscription/address-state-store.ts'
import { insertMembershipEvents, type MembershipChange } from '../subscription/group-events-store.ts'
import {
  deleteMemberships,
  type GroupState,
  type GroupStateRow,
  listGroupStates,
} from '../subscription/membership-store.ts'
import { recordInherited } from './inherited-changes.ts'
import { type MergePair, mergeAppUse, mergeStates } from './merge-states.ts'
import { insertMergedProfiles, listMergedProfiles } from './merged-profile-store.ts'
import type { OwnedRule } from './owned-rule.ts'
import { mergeOwned, removeRows } from './owned-store.ts'

export type { MergePair } from './merge-states.ts'

export type MergeServices = { clock: Clock; hashAddress: HashAddress; ownedRules: readonly OwnedRule[] }

/** The row of a merged profile remains as a pointer to the kept profile, without personal data. */
const emptyState: MergeState = {
  ...blankState({ kind: 'service_id', value: '' }),
  session_count: 0,
  total_revenue: 0,
  attributed_campaign: null,
  attributed_source: null,
  attributed_adgroup: null,
  attributed_ad: null,
}

/** `before` and `after` are states of the kept profile, `merged` is the state of the merged profile. */
type ProfileMerge = MergePair & { before: MergeRow; merged: MergeRow; after: MergeState }

/**
 * Merges the rows for which a higher wing has rules. Call it before `mergeProfiles`: it waits for workers that have locked such rows, so
 * that `mergeProfiles` also moves what these workers write.
 */
export async function mergeByRules(
  tx: Tx,
  pairs: readonly MergePair[],
  { clock, ownedRules }: Pick<MergeServices, 'clock' | 'ownedRules'>,
): Promise<void> {
  for (const rule of ownedRules) await rule.merge?.(tx, pairs, clock.stamp())
  for (const rule of ownedRules) await rule.replaceIdentifiers?.(tx, pairs)
}

/**
 * Merges all pairs of profiles at once (specification 4.6). A person may be in only one pair. Locks the people: every transaction that
 * gives a person an identifier, an address or a row of a listed table has this lock. History is moved later (`finish-moving.ts`). The
 * caller announces the changes of identifiers. Throws `PersonRemoved`.
 */
export async function mergeProfiles(tx: Tx, pairs: readonly MergePair[], services: MergeServices): Promise<void> {
  if (pairs.length === 0) return
  const merged = pairs.map(({ from }) => from)
  const people = [...merged, ...pairs.map(({ into }) => into)]
  const [rows, identifiers, apps, states, mergedBefore] = await Promise.all([
    lockMergeStates(tx, people),
    listIdentifiers(tx, people),
    listAppUseStates(tx, people),
    listGroupStates(tx, people),
    listMergedProfiles(tx, merged),
  ])
  if (rows.length < people.length) throw new PersonRemoved('a profile was merged away or deleted')
  const merges = mergeStatesOf(pairs, rows)
  const overridden = await findOverriddenStates(tx, merges, states, services.hashAddress)
  const identifierMoves = splitIdentifiers(merges, identifiers)
  const into = new Map(pairs.map((pair) => [pair.from.profile_id, pair.into]))
  // Identifiers come first: their rows decide who owns a push token that another transaction takes at the same time.
  await Promise.all([
    insertMembershipEvents(tx, inheritedStates(merges, states, overridden)),
    repointIdentifiers(tx, identifierMoves.moved),
    deleteIdentifiers(tx, identifierMoves.dropped),
    saveMergeStates(tx, merges.flatMap(savedStates(services.clock))),
    deleteContacts(tx, merges.flatMap(contactsToDelete)),
    insertContacts(tx, merges.flatMap(contactsToInsert)),
    mergeAppUses(tx, merges, apps),
    deleteMemberships(tx, overridden),
    repointMergedProfiles(
      tx,
      mergedBefore.map(({ person, from }) => ({ from, into: into.get(person.profile_id)! })),
    ),
    mergeOwned(tx, pairs),
    recordInherited(tx, merges, services.clock),
    insertMergedProfiles(tx, pairs, services.clock.stamp()),
  ])
}

function mergeStatesOf(pairs: readonly MergePair[], rows: readonly MergeRow[]): ProfileMerge[] {
  const byId = new Map(rows.map((row) => [row.profile_id, row]))
  return pairs.map((pair) => {
    const before = byId.get(pair.into.profile_id)!
    const merged = byId.get(pair.from.profile_id)!
    return { ...pair, before, merged, after: mergeStates(before, merged, pair) }
  })
}

function savedStates(clock: Clock): (merge: ProfileMerge) => SavedMerge[] {
  return ({ from, into, after }) => {
    const stampUs = clock.stamp()
    return [
      { person: into, state: after, into: null, stampUs },
      { person: from, state: emptyState, into, stampUs },
    ]
  }
}

/** Returns the group states of merged profiles that the kept profiles get, as states of the kept ones. */
function inheritedStates(
  merges: readonly ProfileMerge[],
  states: readonly GroupStateRow[],
  overridden: readonly { readonly owner: Person; readonly group_id: number }[],
): MembershipChange[] {
  const dropped = new Set(overridden.map(({ owner, group_id }) => `${owner.profile_id}:${group_id}`))
  const held = new Set(states.map(({ profile_id, group_id }) => `${profile_id}:${group_id}`))
  return merges.flatMap(({ from, into, before: { workspace_id } }) =>
    states.flatMap(({ profile_id, group_id, state, stamp }) => {
      const isKept = profile_id === from.profile_id && !dropped.has(`${profile_id}:${group_id}`)
      if (!isKept || held.has(`${into.profile_id}:${group_id}`)) return []
      return [{ person: into, workspace_id, group_id, state: state as GroupState, stampUs: stamp }]
    }),
  )
}

/**
 * Returns the group states of merged profiles that do not apply, because an address of the kept profile has a state for the group (contract
 * 4.6).
 */
async function findOverriddenStates(
  tx: Tx,
  merges: readonly ProfileMerge[],
  states: readonly GroupStateRow[],
  hashAddress: HashAddress,
): Promise<{ owner: Person; group_id: number }[]> {
  const byPerson = Map.groupBy(states, (state) => state.profile_id)
  const lookups = merges.flatMap(({ from, before }) =>
    (byPerson.get(from.profile_id) ?? []).flatMap(({ group_id, kind }) => {
      const address = addressOf(before, kind)
      if (address === null) return []
      const { workspace_id } = before
      const value = hashAddress(workspace_id, kind, address)
      return [{ ...located(workspace_id, { kind, value: address }), value, group_id, owner: from }]
    }),
  )
  const found = await findStoredStates(tx, lookups)
  return lookups.filter((_, i) => found.has(i))
}

/**
 * Splits the identifiers of merged profiles. Aliases move unless the kept person has one with the same label. Devices and push tokens move.
 * External ids are deleted.
 */
function splitIdentifiers(
  merges: readonly ProfileMerge[],
  identifiers: readonly IdentifierRow[],
): { moved: (OwnedIdentifier & { into: Person })[]; dropped: OwnedIdentifier[] } {
  const byPerson = Map.groupBy(identifiers, (identifier) => identifier.profile_id)
  const moved: (OwnedIdentifier & { into: Person })[] = []
  const dropped: OwnedIdentifier[] = []
  for (const { from, into, merged } of merges) {
    const labels = new Set((byPerson.get(into.profile_id) ?? []).flatMap(labelsIn))
    const own = byPerson.get(from.profile_id) ?? []
    const ids = merged.external_id === null ? [] : [{ kind: 'external_id', value: merged.external_id } as const]
    for (const identifier of [...own, ...ids]) {
      const row = { ...located(merged.workspace_id, identifier), owner: from }
      if (identifier.kind === 'external_id' || labelsIn(identifier).some((label) => labels.has(label)))
        dropped.push(row)
      else moved.push({ ...row, into })
    }
  }
  return { moved, dropped }
}

function labelsIn({ kind, value }: Pick<IdentifierRow, 'kind' | 'value'>): string[] {
  return kind === 'alias' ? [aliasParts(value).alias_label] : []
}

function contactsToDelete({ from, merged }: ProfileMerge): ContactRow[] {
  return contacts(from, merged.workspace_id, merged, () => true)
}

/** Returns the addresses that the kept person did not have before. */
function contactsToInsert({ into, before, after }: ProfileMerge): ContactRow[] {
  return contacts(into, before.workspace_id, after, (kind) => before[kind] === null)
}

function contacts(
  owner: Person,
  workspace_id: number,
  state: MergeState,
  isWanted: (kind: 'email' | 'phone') => boolean,
): ContactRow[] {
  return (['email', 'phone'] as const).flatMap((kind) => {
    const value = isWanted(kind) ? addressOf(state, kind) : null
    return value === null ? [] : [{ ...located(workspace_id, { kind, value }), owner }]
  })
}

async function mergeAppUses(tx: Tx, merges: readonly ProfileMerge[], apps: readonly AppUseRow[]): Promise<void> {
  const byPerson = Map.groupBy(apps, (app) => app.profile_id)
  const using = merges.filter(({ from }) => byPerson.has(from.profile_id))
  const merging = using.filter(({ sdkActivity }) => sdkActivity === 'kept')
  const rows = merging.flatMap(({ from, into }) =>
    mergeAppUse(byPerson.get(into.profile_id) ?? [], byPerson.get(from.profile_id)!).map((app) => ({
      ...app,
      person: into,
    })),
  )
  await Promise.all([
    saveAppUse(tx, rows),
    removeRows(
      tx,
      'app_use',
      using.map(({ from }) => from),
    ),
  ])
}
