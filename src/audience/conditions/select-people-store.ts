import type { Tx } from '../../base/db/db.ts'
import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { bucketOfId, type Person, person } from '../../people/identity/person.ts'
import { profilesWith } from './facts-store.ts'
import { type BucketRange, inBuckets } from './joins-store.ts'
import { attributesWeight } from './load-facts-store.ts'
import type { SqlFilter, SqlParts } from './to-sql-store.ts'

/** People of some buckets in the order of the primary key: after `after`, and up to `last`. */
export type PeopleRange = { readonly buckets: BucketRange; readonly after?: Person | undefined; readonly last?: Person }

/** What one statement reads at most. `weight`: of the attributes (`attributesWeight`). */
export type ReadLimit = { readonly people: number; readonly weight: number }

const byKey = raw('order by p.bucket, p.profile_id')

/** In more buckets than these, sorting those people who match is quicker than reading all in order. */
const inOrderBucketsMax = 64

/** Whether the people of these buckets are read in the order of the primary key, up to the first few who are wanted. */
export function areReadInOrder({ from, below }: BucketRange): boolean {
  return below - from <= inOrderBucketsMax
}

/** Counts the people of a workspace that the condition selects, in a range or all. For all it takes about one sequential scan. */
export async function countMatching(
  tx: Tx,
  workspace_id: number,
  where: SqlFilter,
  range?: PeopleRange,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from ${source(tx, workspace_id, where, range)} where ${where.condition}`)
  return row!.count
}

/** Counts the people of a workspace that each part selects, in a range or all, in one scan. `offset 0` keeps each column computed once. */
export async function countParts(
  tx: Tx,
  workspace_id: number,
  where: SqlParts,
  range?: PeopleRange,
): Promise<number[]> {
  const columns = where.columns.map((column, i) => sql`, (${column}) as ${raw(`c${i}`)}`)
  const counts = where.parts.map((part) => sql`(count(*) filter (where ${part}))::int4`)
  const [row] = await tx.query<{ counts: number[] }>(sql`
    select array[${join(counts, ', ')}] as counts from (
      select p.bucket${joined(columns)} from ${source(tx, workspace_id, where, range)} offset 0) q`)
  return row!.counts
}

/** Lists the people of a range that the condition selects, in the order of the primary key. */
export function listMatching<Row extends PersonKey>(
  tx: Tx,
  workspace_id: number,
  where: SqlFilter,
  range: PeopleRange,
  limit: number,
  columns: readonly Sql[],
): Promise<Row[]> {
  const further = columns.map((column) => sql`, ${column}`)
  const order = areReadInOrder(range.buckets) ? byKey : undefined
  return tx.query<Row>(sql`
    select p.bucket, p.profile_id${joined(further)} from ${source(tx, workspace_id, where, range, order)}
    where ${where.condition} ${byKey} limit ${limit}::int4`)
}

/** Returns a column with a pseudo-random number of each person that depends on `seed` alone. */
export function rankColumn(seed: number): Sql {
  return sql`hashint8extended(p.profile_id, ${seed}::int8) as rank`
}

/**
 * Returns the last person of a range that one statement may read. Undefined: it may read the whole range. Null: the range has no people.
 * The first person is always within the limit.
 */
export async function findLimit(
  tx: Tx,
  workspace_id: number,
  range: PeopleRange,
  limit: ReadLimit,
  readsAttributes: boolean,
): Promise<Person | undefined | null> {
  const weight = readsAttributes ? sql`sum(${attributesWeight}) over w` : raw('0')
  const [row] = await tx.query<{ last: string | null; count: number; cut: boolean | null }>(sql`
    select max(p.profile_id) filter (where p.n = 1 or p.weight <= ${limit.weight}::int8) as last, count(*)::int as count,
      bool_or(p.n > 1 and p.weight > ${limit.weight}::int8) as cut
    from (
      select p.profile_id, row_number() over w as n, ${weight} as weight from profile p
      where ${inRange(tx, workspace_id, range)}
      window w as (order by p.bucket, p.profile_id rows unbounded preceding)
      order by p.bucket, p.profile_id limit ${limit.people}::int8) p`)
  const { last, count, cut } = row!
  if (last === null) return null
  return cut || count >= limit.people ? person(bucketOfId(last), last) : undefined
}

export type PersonKey = { bucket: number; profile_id: string }

function source(
  tx: Tx,
  workspace_id: number,
  where: Pick<SqlFilter, 'attributesRead' | 'joins'>,
  range: PeopleRange | undefined,
  order?: Sql,
): Sql {
  return sql`${profilesWith(where.attributesRead, inRange(tx, workspace_id, range), order)} p ${where.joins}`
}

/** Returns the condition that a profile `p` is a person of the workspace, in a range or anywhere. */
export function inRange(tx: Tx, workspace_id: number, range: PeopleRange | undefined): Sql {
  const own = sql`p.workspace_id = ${workspace_id}::int4 and p.merged_into is null`
  if (!range) return own
  const { buckets, after, last } = range
  const further = after ? sql` and (p.bucket, p.profile_id) > ${keyOf(tx, after)}` : raw('')
  const upTo = last ? sql` and (p.bucket, p.profile_id) <= ${keyOf(tx, last)}` : raw('')
  return sql`${own} and ${inBuckets('p', buckets)}${further}${upTo}`
}

/**
 * Returns the key of a person as an expression whose value the planner does not know. It would multiply what each bound leaves of all
 * people, expect nobody near the first and the last bucket, and read the history of the range again for each person. On shards each of
 * these expressions would be a statement of its own.
 */
function keyOf(tx: Tx, { bucket, profile_id }: Person): Sql {
  if (tx.placement !== undefined) return sql`(${bucket}::int4, ${profile_id}::int8)`
  return sql`((select ${bucket}::int4), (select ${profile_id}::int8))`
}

function joined(fragments: readonly Sql[]): Sql {
  return fragments.reduce((all, each) => sql`${all}${each}`, raw(''))
}
