import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'
import type { FactNeeds, Facts } from './facts.ts'
import { completeFacts, type FactRow, factColumns, profilesWith } from './facts-store.ts'

/** The most people whose facts are in memory at a time. */
export const loadedMax = 4_000
/** The most that the attributes weigh that one statement reads: their stored bytes, where compressed bytes weigh more. */
export const weightMax = 8 * 1_048_576

/** The weight of the attributes of a profile `p`. Compressed ones count 16 times: most grow by less when they are unpacked. */
export const attributesWeight = raw(
  'pg_column_size(p.custom) * case when pg_column_compression(p.custom) is null then 1 else 16 end::int8',
)

/** Loads the facts in `needs` of a person. Undefined for a removed person and one of another workspace. */
export async function loadFacts(
  tx: Tx,
  workspace_id: number,
  person: Person,
  needs: FactNeeds,
  nowMs: number,
): Promise<Facts | undefined> {
  const { value } = await eachFacts(tx, workspace_id, [person], needs, nowMs).next()
  return value?.[0]
}

/**
 * Yields the facts in `needs` of these people, in their order, without removed people and people of other workspaces. A page has at least
 * one person, at most `loadedMax`, and attributes of at most `weightMax`.
 */
export async function* eachFacts(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
  needs: FactNeeds,
  nowMs: number,
): AsyncGenerator<Facts[], undefined> {
  for (let from = 0; from < people.length; ) {
    const some = people.slice(from, from + loadedMax)
    const source =
      needs.custom.size > 0 && some.length > 1
        ? withinWeight(workspace_id, some)
        : sql`${personRows(some)} with ordinality w(bucket, profile_id, n)`
    const rows = await tx.query<FactRow & { n: number }>(sql`
      select w.n::int as n, p.bucket, p.profile_id, ${factColumns(needs)} from ${source}
      cross join lateral ${profilesWith(needs.custom.size, sql`p.bucket = w.bucket and p.profile_id = w.profile_id`)} p
      where p.merged_into is null and p.workspace_id = ${workspace_id} order by w.n`)
    if (rows.length > 0) yield completeFacts(tx, workspace_id, rows, needs, nowMs)
    // Without a row, all of these people were removed.
    from += rows.at(-1)?.n ?? some.length
  }
}

/** Returns the first of `people` as rows `w`: one at least, and more until their attributes weigh `weightMax`. */
function withinWeight(workspace_id: number, people: readonly Person[]): Sql {
  return sql`(
    select w.bucket, w.profile_id, w.n from (
      select p.bucket, p.profile_id, w.n, row_number() over o as place, sum(${attributesWeight}) over o as weight
      from ${personRows(people)} with ordinality w(bucket, profile_id, n)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      where p.merged_into is null and p.workspace_id = ${workspace_id}
      window o as (order by w.n)) w
    where w.place = 1 or w.weight <= ${weightMax}::int8) w`
}
