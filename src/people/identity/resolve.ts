import type { Tx } from '../../base/db/db.ts'
import { findExisting, findIdentified, findLatest, listCandidates } from './candidate-store.ts'
import { candidateMax, findAddressOwners } from './contact-store.ts'
import type { Candidate, Directory, Lookup } from './directory.ts'
import { findIdentifiers, lockAnchors, reserveIdentifiers } from './identifier-store.ts'
import { bucketOfId, type HashAddress, type Located, type Person, person } from './person.ts'

export type ResolveServices = {
  newId(bucket: number): string
  parseServiceId(text: string): string | undefined
  hashAddress: HashAddress
}

type WantedIdentifier = Located & { lookup: Lookup; key: string; random_bucket: number }
type Keyed = { bucket: number; key: string }

type Owners = Map<string, Person[]>

/** The identifiers of a flush that are not in the cache, and the pending results of the database. */
export type PendingLookups = {
  exclusive: readonly WantedIdentifier[]
  addresses: readonly WantedIdentifier[]
  answers: Promise<{ owners: Owners; known: ReadonlyMap<string, Person>; existing: readonly ExistingPerson[] }>
}

/**
 * Sends the look-ups of the identifiers that are not in the cache: the owner of each exclusive one, and the owners of each address. They
 * only read, so they can be sent together with BEGIN.
 */
export function sendLookups(tx: Tx, directory: Directory, services: ResolveServices): PendingLookups {
  const exclusive: WantedIdentifier[] = []
  const addresses: WantedIdentifier[] = []
  const serviceIds: Lookup[] = []
  for (const lookup of directory.lookups()) {
    const { kind } = lookup.identifier
    if (kind === 'service_id') serviceIds.push(lookup)
    else (kind === 'email' || kind === 'phone' ? addresses : exclusive).push(withBuckets(lookup))
  }
  exclusive.sort(byLockOrder)
  addresses.sort(byLockOrder)
  // No query depends on the result of another.
  const answers = Promise.all([
    addresses.length === 0 ? new Map() : findAddressOwners(tx, addresses),
    exclusive.length === 0 ? new Map() : findIdentifiers(tx, exclusive),
    listExisting(tx, serviceIds, services),
  ]).then(([owners, known, existing]) => ({ owners, known, existing }))
  // A query may fail before its result is awaited. It also fails the transaction, which reports the error.
  answers.catch(() => {})
  return { exclusive, addresses, answers }
}

/** Statements that were sent. The caller awaits them together with its writes. */
export type Filled = { reserved: Promise<void> }

/**
 * Fills the directory with the results of the look-ups. Call it before `assign`. Identifiers that have no owner and may create a person are
 * reserved by a sorted insert. Addresses get all their owners. `changesAddresses`: some item of the flush changes an address. Runs in the
 * transaction of the flush.
 */
export async function fillDirectory(
  tx: Tx,
  directory: Directory,
  { exclusive, addresses, answers }: PendingLookups,
  changesAddresses: boolean,
  services: ResolveServices,
): Promise<Filled> {
  const { owners, known, existing } = await answers
  for (const { key, lookup } of exclusive) {
    const found = known.get(key)
    if (found) directory.resolve(lookup, found)
  }
  for (const { lookup, person } of existing) directory.resolve(lookup, person)
  const reserved = reserve(
    tx,
    directory,
    exclusive.filter(({ lookup }) => lookup.create && !lookup.person),
    services,
  )
  // If this fails before it is awaited, every later statement of the transaction fails with the reason.
  reserved.catch(() => {})
  await fillAddresses(tx, directory, addresses, owners, changesAddresses, services)
  const unchecked = changesAddresses ? directory.unchecked() : []
  if (unchecked.length > 0)
    for (const profile_id of await findIdentified(tx, unchecked)) directory.markIdentified(profile_id)
  return { reserved }
}

function withBuckets(lookup: Lookup): WantedIdentifier {
  const { key, workspace_id, identifier, buckets } = lookup
  return { lookup, key, workspace_id, kind: identifier.kind, value: identifier.value, ...buckets }
}

/** Every process locks the rows of a statement in this order, so that two flushes never wait for each other. */
export function byLockOrder(a: Keyed, b: Keyed): number {
  return a.bucket - b.bucket || (a.key < b.key ? -1 : 1)
}

type ExistingPerson = { lookup: Lookup; person: Person }

/** Returns the people with these service ids who exist in the workspace of the look-up. */
async function listExisting(
  tx: Tx,
  wanted: readonly Lookup[],
  { parseServiceId }: ResolveServices,
): Promise<ExistingPerson[]> {
  const people = wanted.flatMap((lookup) => {
    const profile_id = parseServiceId(lookup.identifier.value)
    return profile_id ? [{ lookup, person: person(bucketOfId(profile_id), profile_id) }] : []
  })
  if (people.length === 0) return []
  const existing = await findExisting(
    tx,
    people.map((each) => each.person),
  )
  return people.filter((each) => existing.get(each.person.profile_id) === each.lookup.workspace_id)
}

/** Reserves identifiers that had no owner in the look-up, for new people. */
function reserve(
  tx: Tx,
  directory: Directory,
  wanted: readonly WantedIdentifier[],
  services: ResolveServices,
): Promise<void> {
  const reservations = wanted.map((each) => ({ ...each, owner: person(each.bucket, services.newId(each.bucket)) }))
  for (const { lookup, owner, random_bucket } of reservations) directory.reserve(lookup, owner, random_bucket)
  return reserveIdentifiers(tx, reservations)
}

async function fillAddresses(
  tx: Tx,
  directory: Directory,
  wanted: readonly WantedIdentifier[],
  owners: Map<string, Person[]>,
  changesAddresses: boolean,
  { hashAddress }: ResolveServices,
): Promise<void> {
  const unowned = wanted.filter(({ key, lookup }) => lookup.create && !owners.has(key))
  if (unowned.length > 0) {
    // The lock prevents that two flushes create a person for the same address: the second one waits and then finds the person of the first.
    await lockAnchors(tx, unowned, hashAddress)
    for (const [key, people] of await findAddressOwners(tx, unowned)) owners.set(key, people)
  }
  const ownersOf = ({ key }: WantedIdentifier): Person[] => owners.get(key) ?? []
  const isCrowded = (each: WantedIdentifier): boolean => ownersOf(each).length > candidateMax
  const uncrowded = wanted.filter((each) => !isCrowded(each))
  // The only owner of an address is chosen without a look-up, unless the flush may give the address to another person.
  const competing = uncrowded.map(ownersOf).filter((people) => people.length > 1 || changesAddresses)
  const candidatesOf = await listCandidates(tx, competing.flat())
  for (const each of uncrowded) {
    const candidates = ownersOf(each).map((owner) => candidatesOf.get(owner.profile_id) ?? soleOwner(owner))
    directory.setCandidates(each.lookup, candidates)
  }
  // By now the directory has all people of the flush. It may change their addresses or make them the latest owners, so they are read apart.
  for (const each of wanted.filter(isCrowded))
    directory.setCandidates(each.lookup, await findLatest(tx, each, directory.found()))
}

function soleOwner(owner: Person): Candidate {
  return { person: owner, identified: false, updatedUs: 0 }
}
