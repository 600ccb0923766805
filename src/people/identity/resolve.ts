import type { Tx } from '../../base/db/db.ts'
import { findIdentified, findLatest, findLiving, listCandidates } from './candidate-store.ts'
import { candidateMax, findAddressOwners } from './contact-store.ts'
import type { Candidate, Directory, Lookup } from './directory.ts'
import { findIdentifiers, lockAnchors, reserveIdentifiers } from './identifier-store.ts'
import { bucketOfId, type HashAddress, type Located, type Person, person } from './person.ts'

export type ResolveServices = {
  newId(bucket: number): string
  parseServiceId(text: string): string | undefined
  hashAddress: HashAddress
}

type Wanted = Located & { named: Lookup; key: string; random_bucket: number }
type Keyed = { bucket: number; key: string }

type Owners = Map<string, Person[]>

/** Everybody a flush mentions whom the cache does not know, and what storage answers about them. */
export type PendingLookups = {
  exclusive: readonly Wanted[]
  addresses: readonly Wanted[]
  answers: Promise<{ owners: Owners; known: ReadonlyMap<string, Person>; living: readonly Living[] }>
}

/**
 * Looks up exclusive identifiers, and who has which address, for whom the cache does not know. Only reads: sent at once, it goes along
 * with BEGIN.
 */
export function sendLookups(tx: Tx, directory: Directory, parts: ResolveServices): PendingLookups {
  const exclusive: Wanted[] = []
  const addresses: Wanted[] = []
  const serviceIds: Lookup[] = []
  for (const named of directory.named()) {
    const { kind } = named.who
    if (kind === 'service_id') serviceIds.push(named)
    else (kind === 'email' || kind === 'phone' ? addresses : exclusive).push(wantedOf(named))
  }
  exclusive.sort(byLockOrder)
  addresses.sort(byLockOrder)
  // Sent together: none of them needs the answer of another.
  const answers = Promise.all([
    addresses.length === 0 ? new Map() : findAddressOwners(tx, addresses),
    exclusive.length === 0 ? new Map() : findIdentifiers(tx, exclusive),
    listLiving(tx, serviceIds, parts),
  ]).then(([owners, known, living]) => ({ owners, known, living }))
  // Should one of them fail before they are waited for, so does the transaction.
  void Promise.allSettled([answers])
  return { exclusive, addresses, answers }
}

/** What was sent and need not be waited for before people are decided upon: it is waited for with what is written. */
export type Filled = { reserved: Promise<void> }

/**
 * Tells the directory what storage answered, before anything else reads it: identifiers that nobody has and that may make somebody
 * are reserved by a sorted insert; addresses come with the people who have them. `moving` says that some item changes an address.
 * Runs inside the flush's transaction.
 */
export async function fillDirectory(
  tx: Tx,
  directory: Directory,
  { exclusive, addresses, answers }: PendingLookups,
  moving: boolean,
  parts: ResolveServices,
): Promise<Filled> {
  const { owners, known, living } = await answers
  for (const { key, named } of exclusive) {
    const found = known.get(key)
    if (found) directory.place(named, found)
  }
  for (const { named, person } of living) directory.place(named, person)
  const reserved = reserve(
    tx,
    directory,
    exclusive.filter(({ named }) => named.create && !named.person),
    parts,
  )
  // Should it fail while others are still waited for, every statement behind it fails with its reason.
  void Promise.allSettled([reserved])
  await listAddresses(tx, directory, addresses, owners, moving, parts)
  const unsure = moving ? directory.unchecked() : []
  if (unsure.length > 0) for (const profile_id of await findIdentified(tx, unsure)) directory.markIdentified(profile_id)
  return { reserved }
}

function wantedOf(named: Lookup): Wanted {
  const { key, workspace_id, who, buckets } = named
  return { named, key, workspace_id, kind: who.kind, value: who.value, ...buckets }
}

/** Rows of one statement are locked in this order by every process, so that two flushes cannot wait for each other. */
export function byLockOrder(a: Keyed, b: Keyed): number {
  return a.bucket - b.bucket || (a.key < b.key ? -1 : 1)
}

type Living = { named: Lookup; person: Person }

/** Those of these ids that are somebody of the workspace that names them. */
async function listLiving(tx: Tx, wanted: readonly Lookup[], { parseServiceId }: ResolveServices): Promise<Living[]> {
  const people = wanted.flatMap((named) => {
    const profile_id = parseServiceId(named.who.value)
    return profile_id ? [{ named, person: person(bucketOfId(profile_id), profile_id) }] : []
  })
  if (people.length === 0) return []
  const living = await findLiving(
    tx,
    people.map((each) => each.person),
  )
  return people.filter((each) => living.get(each.person.profile_id) === each.named.workspace_id)
}

/** Reserves identifiers that nobody had a moment ago, for new people. */
function reserve(tx: Tx, directory: Directory, wanted: readonly Wanted[], parts: ResolveServices): Promise<void> {
  const owned = wanted.map((each) => ({ ...each, owner: person(each.bucket, parts.newId(each.bucket)) }))
  for (const { named, owner, random_bucket } of owned) directory.reserve(named, owner, random_bucket)
  return reserveIdentifiers(tx, owned)
}

async function listAddresses(
  tx: Tx,
  directory: Directory,
  wanted: readonly Wanted[],
  owners: Map<string, Person[]>,
  moving: boolean,
  { hashAddress }: ResolveServices,
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
  const standings = await listCandidates(tx, rivals.flat())
  for (const each of modest) {
    const candidates = ownersOf(each).map((owner) => standings.get(owner.profile_id) ?? soleOwner(owner))
    directory.setCandidates(each.named, candidates)
  }
  // By now everybody is known whom this flush may take away from a crowd's address, or make its latest.
  for (const each of wanted.filter(isCrowded))
    directory.setCandidates(each.named, await findLatest(tx, each, directory.known()))
}

function soleOwner(owner: Person): Candidate {
  return { person: owner, identified: false, updatedUs: 0 }
}
