import type { Tx } from '../base/db/db.ts'
import type { Directory, Named } from './directory.ts'
import { bucketOfId, person, placeOf } from './ref.ts'
import {
  candidateMax,
  findCandidates,
  findIdentified,
  findIdentifiers,
  findLatest,
  findLiving,
  insertIdentifiers,
  type Located,
  lockAnchors,
} from './store.ts'

export type ResolveParts = {
  newId(bucket: number): string
  parseServiceId(text: string): string | undefined
}

type Wanted = Located & { named: Named; key: string; random_bucket: number }

/**
 * Finds everybody a flush mentions whom the cache does not know, before anything else reads them: exclusive identifiers by
 * select, missing ones reserved by a sorted insert; addresses with the people who have them. Runs inside the flush's transaction.
 */
export async function fillDirectory(tx: Tx, directory: Directory, parts: ResolveParts): Promise<void> {
  const exclusive: Wanted[] = []
  const addresses: Wanted[] = []
  const serviceIds: Named[] = []
  for (const named of directory.named()) {
    const { kind } = named.who
    if (kind === 'service_id') serviceIds.push(named)
    else (kind === 'email' || kind === 'phone' ? addresses : exclusive).push(wantedOf(named))
  }
  await placeServiceIds(tx, directory, serviceIds, parts)
  await placeExclusive(tx, directory, exclusive.sort(inLockOrder), parts)
  await listAddresses(tx, directory, addresses.sort(inLockOrder))
  const unsure = directory.unsure()
  if (unsure.length > 0) for (const profile_id of await findIdentified(tx, unsure)) directory.identify(profile_id)
}

function wantedOf(named: Named): Wanted {
  const { key, workspace_id, who } = named
  return { named, key, workspace_id, kind: who.kind, value: who.value, ...placeOf(workspace_id, who.kind, who.value) }
}

/** Rows of one statement are locked in this order by every process, so that two flushes cannot wait for each other. */
function inLockOrder(a: Wanted, b: Wanted): number {
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

async function placeExclusive(tx: Tx, directory: Directory, wanted: Wanted[], parts: ResolveParts): Promise<void> {
  if (wanted.length === 0) return
  const missing = await placeKnown(tx, directory, wanted)
  const creating = missing.filter((each) => each.named.create)
  if (creating.length === 0) return
  const reserved = creating.map((each) => ({ ...each, owner: person(each.bucket, parts.newId(each.bucket)) }))
  const inserted = await insertIdentifiers(tx, reserved)
  for (const { key, named, owner, random_bucket } of reserved) {
    if (inserted.has(key)) directory.reserve(named, owner, random_bucket)
  }
  // Somebody else's transaction was faster: a second statement sees what it has committed.
  const lost = creating.filter((each) => !inserted.has(each.key))
  if (lost.length > 0) await placeKnown(tx, directory, lost)
}

/** Places those that storage knows and answers the others. */
async function placeKnown(tx: Tx, directory: Directory, wanted: Wanted[]): Promise<Wanted[]> {
  const found = await findIdentifiers(tx, wanted)
  return wanted.filter(({ key, named }) => {
    const known = found.get(key)
    if (known) directory.place(named, known)
    return !known
  })
}

async function listAddresses(tx: Tx, directory: Directory, wanted: Wanted[]): Promise<void> {
  if (wanted.length === 0) return
  const found = await findCandidates(tx, wanted)
  const nobody = wanted.filter(({ key, named }) => named.create && !found.has(key))
  if (nobody.length > 0) {
    // The anchor row is the lock for "nobody has this address yet"; who comes second reads what the first one has made.
    await lockAnchors(tx, nobody)
    for (const [key, candidates] of await findCandidates(tx, nobody)) found.set(key, candidates)
  }
  const isCrowded = ({ key }: Wanted) => (found.get(key)?.length ?? 0) > candidateMax
  for (const each of wanted) if (!isCrowded(each)) directory.list(each.named, found.get(each.key) ?? [])
  // By now everybody is known whom this flush may take away from a crowd's address, or make its latest.
  for (const each of wanted.filter(isCrowded)) directory.list(each.named, await findLatest(tx, each, directory.known()))
}
