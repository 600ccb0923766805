import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

/** Returns the random buckets of people, 0 to 9999, by `profile_id`. Has none for a person who was deleted. */
export async function findRandomBuckets(tx: Tx, people: readonly Person[]): Promise<ReadonlyMap<string, number>> {
  if (people.length === 0) return new Map()
  const rows = await byShard<{ profile_id: string; random_bucket: number }, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.random_bucket from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  return new Map(rows.map(({ profile_id, random_bucket }) => [profile_id, random_bucket]))
}
