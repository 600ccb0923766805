import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../../people/identity/person.ts'
import { type BucketRange, inBuckets } from './joins-store.ts'
import type { SqlFilter } from './to-sql-store.ts'

/** Counts the people of a workspace that the condition selects. It takes about one sequential scan. */
export async function countMatching(tx: Tx, workspace_id: number, where: SqlFilter): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from profile p ${where.joins} where ${notMerged(workspace_id)} and ${where.condition}`)
  return row!.count
}

/** A page of the people in some buckets, in the order of the primary key. */
export type PeopleRange = { readonly buckets: BucketRange; readonly after?: Person | undefined; readonly limit: number }

export function listMatching<Row extends PersonKey>(
  tx: Tx,
  workspace_id: number,
  where: SqlFilter,
  range: PeopleRange,
  columns?: Sql,
): Promise<Row[]> {
  const { buckets, after, limit } = range
  const further = after
    ? sql`(p.bucket, p.profile_id) > (${after.bucket}::int4, ${after.profile_id}::int8)`
    : raw('true')
  return tx.query<Row>(sql`
    select p.bucket, p.profile_id${columns ? sql`, ${columns}` : raw('')} from profile p ${where.joins}
    where ${notMerged(workspace_id)} and ${inBuckets('p', buckets)} and ${further} and ${where.condition}
    order by p.bucket, p.profile_id limit ${limit}::int4`)
}

/** Lists people of these buckets in a pseudo-random order that depends on `seed` alone. */
export async function drawMatching(
  tx: Tx,
  workspace_id: number,
  where: SqlFilter,
  { buckets, limit, seed }: { buckets: BucketRange; limit: number; seed: number },
): Promise<Person[]> {
  return people(
    await tx.query<PersonKey>(sql`
    select p.bucket, p.profile_id from profile p ${where.joins}
    where ${notMerged(workspace_id)} and ${inBuckets('p', buckets)} and ${where.condition}
    order by hashint8extended(p.profile_id, ${seed}::int8), p.profile_id limit ${limit}::int4`),
  )
}

export type PersonKey = { bucket: number; profile_id: string }

function notMerged(workspace_id: number): Sql {
  return sql`p.workspace_id = ${workspace_id}::int4 and p.merged_into is null`
}

function people(rows: readonly PersonKey[]): Person[] {
  return rows.map(({ bucket, profile_id }) => person(bucket, profile_id))
}
