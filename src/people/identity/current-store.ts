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
