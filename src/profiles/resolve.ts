import type { Tx } from '../base/db/db.ts'
import type { Candidate, Directory, Named } from './directory.ts'
import type { Identities } from './identities.ts'
import { bucketOfId, type HashAddress, type Located, type Person, person } from './ref.ts'
import {
  candidateMax,
  findAddressOwners,
  findIdentified,
  findIdentifiers,
  findLatest,
  findLiving,
  findStandings,
  lockAnchors,
  reserveIdentifiers,
} from './store.ts'

export type ResolveParts = {
  identities: Identities
  newId(bucket: number): string
  parseServiceId(text: string): string | undefined
  hashAddress: HashAddress
}

type Wanted = Located & { named: Named; key: string; random_bucket: number }
type Keyed = { bucket: number; key: string }

/** What was sent and need not be waited for before people are decided upon: it is waited for with what is written. */
export type Filled = { reserved: Promise<void> }

/**
 * Finds everybody a flush mentions whom the cache does not know, before anything else reads them: exclusive identifiers are looked
 * up, and those that nobody has and that may make somebody are reserved by a sorted insert; addresses come with the people who
 * have them. `moving` says that some item changes an address. Runs inside the flush's transaction. The first look-ups have been sent
 * when it returns its promise.
 */
export async function fillDirectory(
  tx: Tx,
  directory: Directory,
  moving: boolean,
  parts: ResolveParts,
): Promise<Filled> {
  const exclusive: Wanted[] = []
  const addresses: Wanted[] = []
  const serviceIds: Named[] = []
  for (const named of directory.named()) {
    const { kind } = named.who
    if (kind === 'service_id') serviceIds.push(named)
    else (kind === 'email' || kind === 'phone' ? addresses : exclusive).push(wantedOf(named))
  }
  // Sent together: none of them needs the answer of another.
  const [owners] = await Promise.all([
    addresses.length === 0 ? new Map<string, Person[]>() : findAddressOwners(tx, addresses.sort(inLockOrder)),
    placeKnown(tx, directory, exclusive.sort(inLockOrder)),
    placeServiceIds(tx, directory, serviceIds, parts),
  ])
  const reserved = reserve(
    tx,
    directory,
    exclusive.filter(({ named }) => named.create && !named.person),
    parts,
  )
  // Should it fail while others are still waited for, every statement behind it fails with its reason.
  void Promise.allSettled([reserved])
  await listAddresses(tx, directory, addresses, owners, moving, parts)
  const unsure = moving ? directory.unsure() : []
  if (unsure.length > 0) for (const profile_id of await findIdentified(tx, unsure)) directory.identify(profile_id)
  return { reserved }
}

function wantedOf(named: Named): Wanted {
  const { key, workspace_id, who, place } = named
  return { named, key, workspace_id, kind: who.kind, value: who.value, ...place }
}

/** Rows of one statement are locked in this order by every process, so that two flushes cannot wait for each other. */
export function inLockOrder(a: Keyed, b: Keyed): number {
  return a.bucket - b.bucket || (a.key < b.key ? -1 : 1)
}

async function placeServiceIds(tx: Tx, directory: Directory, wanted: Named[], parts: ResolveParts): Promise<void> {
  const people = wanted.flatMap((named) => {
    const profile_id = parts.parseServiceId(named.who.value)
    return profile_id ? [{ named, person: person(bucketOfId(profile_id), profile_id) }] : []
  })
  if (people.length === 0) return
  const living = await findLiving(
    tx,
    people.map((each) => each.person),
  )
  for (const each of people) {
    const workspace_id = living.get(each.person.profile_id)
    if (workspace_id === each.named.workspace_id) directory.place(each.named, each.person)
  }
}

/** Reserves identifiers that nobody had a moment ago, for new people. */
function reserve(tx: Tx, directory: Directory, wanted: readonly Wanted[], parts: ResolveParts): Promise<void> {
  const owned = wanted.map((each) => ({ ...each, owner: person(each.bucket, parts.newId(each.bucket)) }))
  for (const { named, owner, random_bucket } of owned) directory.reserve(named, owner, random_bucket)
  return reserveIdentifiers(tx, owned)
}

async function placeKnown(tx: Tx, directory: Directory, wanted: readonly Wanted[]): Promise<void> {
  if (wanted.length === 0) return
  const found = await findIdentifiers(tx, wanted)
  for (const { key, named } of wanted) {
    const known = found.get(key)
    if (known) directory.place(named, known)
  }
}

async function listAddresses(
  tx: Tx,
  directory: Directory,
  wanted: readonly Wanted[],
  owners: Map<string, Person[]>,
  moving: boolean,
  { hashAddress }: ResolveParts,
): Promise<void> {
  const nobody = wanted.filter(({ key, named }) => named.create && !owners.has(key))
  if (nobody.length > 0) {
    // The anchor row is the lock for "nobody has this address yet"; who comes second reads what the first one has made.
    await lockAnchors(tx, nobody, hashAddress)
    for (const [key, people] of await findAddressOwners(tx, nobody)) owners.set(key, people)
  }
  const ownersOf = ({ key }: Wanted): Person[] => owners.get(key) ?? []
  const isCrowded = (each: Wanted): boolean => ownersOf(each).length > candidateMax
  const modest = wanted.filter((each) => !isCrowded(each))
  // Who has an address alone is chosen whatever is known of them, unless somebody else may get the address meanwhile.
  const rivals = modest.map(ownersOf).filter((people) => people.length > 1 || moving)
  const standings = await findStandings(tx, rivals.flat())
  for (const each of modest) {
    const candidates = ownersOf(each).map((owner) => standings.get(owner.profile_id) ?? soleOwner(owner))
    directory.list(each.named, candidates)
  }
  // By now everybody is known whom this flush may take away from a crowd's address, or make its latest.
  for (const each of wanted.filter(isCrowded)) directory.list(each.named, await findLatest(tx, each, directory.known()))
}

function soleOwner(owner: Person): Candidate {
  return { person: owner, identified: false, updatedUs: 0 }
}
