import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { bucketOfId, type Person, person } from './person.ts'
import { personRows } from './person-store.ts'

/**
 * Returns the current person of each profile, by its `profile_id`: the one that it was merged into, or the same. Profiles without a row are
 * missing. It is the first step of a look-up where there are shards, because the kept person may be on another shard; elsewhere a join does
 * it. One step is enough: a merge makes all rows of profiles that were merged earlier point at the kept one.
 */
export async function findCurrent(tx: Tx, people: readonly Person[]): Promise<Map<string, Person>> {
  const rows = await byShard<{ given: string; bucket: number; profile_id: string }, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id as given, coalesce(p.merged_bucket, p.bucket) as bucket, coalesce(p.merged_into, p.profile_id) as profile_id
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  return new Map(rows.map(({ given, bucket, profile_id }) => [given, person(bucket, profile_id)]))
}

/** Does the same for one profile. */
export async function findCurrentOf(tx: Tx, profile_id: string): Promise<Person | undefined> {
  const found = await findCurrent(tx, [person(bucketOfId(profile_id), profile_id)])
  return found.get(profile_id)
}

/**
 * Finds something of a person, and after a merge of the kept one. It is for databases with shards: elsewhere one statement looks in both
 * buckets.
 */
export async function findOfKept<Found>(
  tx: Tx,
  own: Person,
  find: (of: Person) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const found = await find(own)
  if (found !== undefined) return found
  const current = await findCurrentOf(tx, own.profile_id)
  return current && current.profile_id !== own.profile_id ? find(current) : undefined
}

/**
 * Returns items with the people who have their profiles now, those of merged people last, and without those of deleted people. On a
 * database without shards it returns them as they are: there the statement that they are for follows a merge itself.
 */
export async function ofKeptPeople<Item extends { readonly person: Person }>(
  tx: Tx,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (tx.placement === undefined) return items
  const current = await findCurrent(
    tx,
    items.map((each) => each.person),
  )
  const [own, merged]: [Item[], Item[]] = [[], []]
  for (const item of items) {
    const now = current.get(item.person.profile_id)
    if (now === undefined) continue
    if (now.profile_id === item.person.profile_id) own.push(item)
    else merged.push({ ...item, person: now })
  }
  return [...own, ...merged]
}
