import { byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type Person, person } from './person.ts'
import { personRows } from './person-store.ts'

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
  const [kept] = await tx.query<{ bucket: number; profile_id: string }>(
    prepared(sql`
    select p.merged_bucket as bucket, p.merged_into as profile_id from profile p
    where p.bucket = ${own.bucket} and p.profile_id = ${own.profile_id}::int8 and p.merged_into is not null`),
  )
  return kept && find(person(kept.bucket, kept.profile_id))
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
  type Row = { n: number; merged_bucket: number | null; merged_into: string | null }
  const found = await byShardWithItems<Row, Item>(tx, items, (part) =>
    prepared(sql`
    select w.n::int as n, p.merged_bucket, p.merged_into
    from ${personRows(part.items.map((each) => each.person))} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  const [own, merged]: [Item[], Item[]] = [[], []]
  for (const { row, item } of found) {
    if (row.merged_bucket === null || row.merged_into === null) own.push(item)
    else merged.push({ ...item, person: person(row.merged_bucket, row.merged_into) })
  }
  return [...own, ...merged]
}
