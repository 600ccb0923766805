import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { setShortLockTimeout } from '../../base/db/transaction-settings.ts'
import { findLabels } from '../identity/alias-store.ts'
import { findAddressOwners } from '../identity/contact-store.ts'
import { Directory, identityKey } from '../identity/directory.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import { findIdentifiers, insertIdentifiers, lockAnchors } from '../identity/identifier-store.ts'
import { Identities } from '../identity/identities.ts'
import { type Located, located, type Person, person } from '../identity/person.ts'
import { byLockOrder, fillDirectory, type ResolveServices, sendLookups } from '../identity/resolve.ts'
import { PersonRemoved } from '../identity/retry-removed.ts'
import type { ProfileState } from '../profile/fold.ts'
import { type LockedState, lockStates } from '../profile/state-store.ts'
import { assignDevice, type DeviceAssignment, type KnownPerson } from './assign-device.ts'

/** `before` is the state of the person that the report is about, or null for a new person. */
export type ResolvedReport = { assignment: DeviceAssignment; before: ProfileState | null }

/** An identifier of the report with the person that it names. */
type ReportIdentifier = Located & { who: Identifier; key: string; found: Person | undefined }

/**
 * Finds the person that a report is about. Reserves the identifiers without an owner, then locks the owners of the others, so that no other
 * transaction changes the owners. Throws `PersonRemoved`.
 */
export async function resolveReport(
  tx: Tx,
  call: Call,
  device: Identifier,
  who: Identifier | null,
  services: ResolveServices,
): Promise<ResolvedReport> {
  const identifiers = await findOwners(tx, call, who ? [device, who] : [device], services)
  await reserveFree(
    tx,
    identifiers.filter(({ found, kind }) => !found && kind !== 'service_id'),
    services,
  )
  const states = await lockOwners(tx, identifiers)
  const [owner, named] = identifiers.map(({ found }): KnownPerson | null =>
    found ? { person: found, identified: states.get(found.profile_id)!.external_id !== null } : null,
  )
  const labelled = owner && !named && who?.kind === 'alias' ? await hasLabel(tx, owner.person, who) : false
  const assignment = assignDevice(device, owner ?? null, who, named ?? null, labelled)
  return { assignment, before: assignment.person && states.get(assignment.person.profile_id)! }
}

/** Finds the person that each identifier names, by the rules of a track request. Reads only the database, no cache. */
async function findOwners(
  tx: Tx,
  { workspace_id, clock }: Call,
  given: readonly Identifier[],
  services: ResolveServices,
): Promise<ReportIdentifier[]> {
  const directory = new Directory(new Identities(), services.newId, () => clock.stamp())
  const lookups = given.map((who) => directory.lookUp(workspace_id, who, false))
  await fillDirectory(tx, directory, sendLookups(tx, directory, services), false, services)
  return given.map((who, i) => {
    const found = directory.assign(lookups[i]!, false)
    return { ...located(workspace_id, who), who, key: identityKey(workspace_id, who), found }
  })
}

/** Reserves identifiers, so that no other transaction can give them to a person. The owner in these rows is provisional. */
async function reserveFree(
  tx: Tx,
  free: readonly ReportIdentifier[],
  { newId, hashAddress }: ResolveServices,
): Promise<void> {
  const names = free.filter(isExclusive).sort(byLockOrder)
  const addresses = free.filter((each) => !isExclusive(each))
  const reserved = await insertIdentifiers(
    tx,
    names.map((each) => ({ ...each, owner: person(each.bucket, newId(each.bucket)) })),
  )
  if (reserved.size < names.length) throw new PersonRemoved('an identifier names a person by now')
  if (addresses.length === 0) return
  await lockAnchors(tx, addresses, hashAddress)
  if ((await findAddressOwners(tx, addresses)).size > 0) throw new PersonRemoved('a person has the address by now')
}

/** Locks the owners of the identifiers, and checks that they are still the owners. */
async function lockOwners(tx: Tx, identifiers: readonly ReportIdentifier[]): Promise<ReadonlyMap<string, LockedState>> {
  const people = new Map(identifiers.flatMap(({ found }) => (found ? [[found.profile_id, found]] : [])))
  if (people.size === 0) return new Map()
  // A flush may have locked one of two people and wait for the other.
  if (people.size > 1) await setShortLockTimeout(tx)
  const named = identifiers.filter((each) => each.found && isExclusive(each) && each.kind !== 'service_id')
  const [rows, owners] = await Promise.all([lockStates(tx, [...people.values()]), findIdentifiers(tx, named)])
  const isChanged = named.some(({ key, found }) => owners.get(key)?.profile_id !== found!.profile_id)
  if (isChanged || rows.length < people.size) throw new PersonRemoved('an identifier names another person by now')
  return new Map(rows.map((row) => [row.profile_id, row]))
}

/** Returns whether an identifier has at most one owner. An address may have several. */
function isExclusive({ kind }: { kind: string }): boolean {
  return kind !== 'email' && kind !== 'phone'
}

async function hasLabel(tx: Tx, owner: Person, alias: Identifier): Promise<boolean> {
  const [isTaken] = await findLabels(tx, [{ person: owner, alias_label: aliasParts(alias.value).alias_label }])
  return isTaken!
}
