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
import { type Belonging, belong, type Standing } from './belong.ts'

/** Whom a call is about, and the state of that person, if there is one yet. */
export type Resolved = { belonging: Belonging; before: ProfileState | null }

/** An identifier of the call with whom it names. */
type Asked = Located & { who: Identifier; key: string; found: Person | undefined }

/**
 * Finds out whom a call is about. What names nobody is reserved, then whoever is named is locked: as long as that lasts, nobody else
 * changes whom these identifiers name.
 */
export async function resolve(
  tx: Tx,
  call: Call,
  device: Identifier,
  who: Identifier | null,
  parts: ResolveServices,
): Promise<Resolved> {
  const asked = await find(tx, call, who ? [device, who] : [device], parts)
  await reserve(
    tx,
    asked.filter(({ found, kind }) => !found && kind !== 'service_id'),
    parts,
  )
  const states = await lock(tx, asked)
  const [owner, named] = asked.map(({ found }): Standing | null =>
    found ? { person: found, identified: states.get(found.profile_id)!.external_id !== null } : null,
  )
  const labelled = owner && !named && who?.kind === 'alias' ? await hasLabel(tx, owner.person, who) : false
  const belonging = belong(device, owner ?? null, who, named ?? null, labelled)
  return { belonging, before: belonging.person && states.get(belonging.person.profile_id)! }
}

/** Whom each identifier names, chosen as a track request would choose; from storage alone, no cache is asked. */
async function find(
  tx: Tx,
  { workspace_id, clock }: Call,
  names: readonly Identifier[],
  parts: ResolveServices,
): Promise<Asked[]> {
  const directory = new Directory(new Identities(), parts.newId, () => clock.stamp())
  const mentions = names.map((who) => directory.lookUp(workspace_id, who, false))
  await fillDirectory(tx, directory, sendLookups(tx, directory, parts), false, parts)
  return names.map((who, i) => {
    const found = directory.assign(mentions[i]!, false)
    return { ...located(workspace_id, who), who, key: identityKey(workspace_id, who), found }
  })
}

/** Nobody else gives these identifiers to somebody; whose they are is said later. */
async function reserve(tx: Tx, free: readonly Asked[], { newId, hashAddress }: ResolveServices): Promise<void> {
  const names = free.filter(isExclusive).sort(byLockOrder)
  const addresses = free.filter((each) => !isExclusive(each))
  const reserved = await insertIdentifiers(
    tx,
    names.map((each) => ({ ...each, owner: person(each.bucket, newId(each.bucket)) })),
  )
  if (reserved.size < names.length) throw new PersonRemoved('an identifier names somebody by now')
  if (addresses.length === 0) return
  await lockAnchors(tx, addresses, hashAddress)
  if ((await findAddressOwners(tx, addresses)).size > 0) throw new PersonRemoved('somebody has the address by now')
}

/** Locks everybody who is named, and makes sure that they still are. */
async function lock(tx: Tx, asked: readonly Asked[]): Promise<ReadonlyMap<string, LockedState>> {
  const people = new Map(asked.flatMap(({ found }) => (found ? [[found.profile_id, found]] : [])))
  if (people.size === 0) return new Map()
  // Of two people a flush may have one and want the other: then it goes first.
  if (people.size > 1) await setShortLockTimeout(tx)
  const named = asked.filter((each) => each.found && isExclusive(each) && each.kind !== 'service_id')
  const [rows, owners] = await Promise.all([lockStates(tx, [...people.values()]), findIdentifiers(tx, named)])
  const strayed = named.some(({ key, found }) => owners.get(key)?.profile_id !== found!.profile_id)
  if (strayed || rows.length < people.size) throw new PersonRemoved('an identifier names somebody else by now')
  return new Map(rows.map((row) => [row.profile_id, row]))
}

/** Names one person; an address may have several owners. */
function isExclusive({ kind }: { kind: string }): boolean {
  return kind !== 'email' && kind !== 'phone'
}

async function hasLabel(tx: Tx, owner: Person, alias: Identifier): Promise<boolean> {
  const [isTaken] = await findLabels(tx, [{ person: owner, alias_label: aliasParts(alias.value).alias_label }])
  return isTaken!
}
