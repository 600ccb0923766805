import { boolArray, int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { Candidate } from '../identity/directory.ts'
import { byLatestUpdate, listOwnerProfiles } from '../identity/owner-profile-store.ts'
import { type Located, type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { CandidateSearch } from './choose-candidate.ts'

/** The most people that are read for one address. */
const candidatesMax = 64

type CandidateRow = { n: number; owner_bucket: number; owner_id: string; identified: boolean; updated_us: string }

/**
 * Lists the people who have each address, in the order of `searches`. Lists at most `candidatesMax` people for each, in the order of the
 * search.
 */
export async function findCandidates(tx: Tx, searches: readonly (Located & CandidateSearch)[]): Promise<Candidate[][]> {
  const found: Candidate[][] = searches.map(() => [])
  if (searches.length === 0) return found
  if (tx.placement !== undefined) return findCandidatesByShard(tx, searches)
  const rows = await tx.query<CandidateRow>(
    prepared(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id, c.identified, (extract(epoch from c.updated_at) * 1000000)::int8 as updated_us
    from unnest(
      ${int4Array(searches.map((each) => each.bucket))}::int4[], ${int4Array(searches.map((each) => each.workspace_id))}::int4[],
      ${textArray(searches.map((each) => each.kind))}::text[], ${textArray(searches.map((each) => each.value))}::text[],
      ${boolArray(searches.map((each) => each.identified))}::bool[], ${textArray(searches.map((each) => each.first))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, identified, first, n)
    cross join lateral (
      select c.owner_bucket, c.owner_id, p.external_id is not null as identified, p.updated_at
      from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
        and p.merged_into is null and (w.identified is null or (p.external_id is not null) = w.identified)
      order by case w.first when 'latest' then p.updated_at end desc, case w.first when 'earliest' then p.updated_at end
      limit ${candidatesMax}) c`),
  )
  for (const row of rows) {
    const { identified, updated_us } = row
    const owner = person(row.owner_bucket, row.owner_id)
    found[row.n - 1]!.push({ person: owner, identified, updatedUs: Number(updated_us) })
  }
  return found
}

/** Does the same in two steps, because the people may be on other shards than the address. */
async function findCandidatesByShard(tx: Tx, searches: readonly (Located & CandidateSearch)[]): Promise<Candidate[][]> {
  const owners = await listOwnerProfiles(tx, searches)
  return searches.map(({ identified, first }, i) => {
    const own = owners[i]!.filter((each) => !each.isMerged && (identified === null || each.identified === identified))
    if (first === 'latest') own.sort(byLatestUpdate)
    if (first === 'earliest') own.sort((one, other) => byLatestUpdate(other, one))
    return own.slice(0, candidatesMax).map(({ isMerged: _, ...each }) => each)
  })
}

/** The identifiers in the profile of a person who was neither merged nor deleted. */
export type IdentityRow = {
  bucket: number
  profile_id: string
  workspace_id: number
  external_id: string | null
  email: string | null
  phone: string | null
}

const identityColumns = sql`select p.bucket, p.profile_id, p.workspace_id, p.external_id, p.email, p.phone`

function activeProfiles(part: ShardPart<Person>): Sql {
  return sql`from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id`
}

/** Lists the rows of people, without removed people. */
export async function listIdentityRows(tx: Tx, people: readonly Person[]): Promise<IdentityRow[]> {
  return people.length === 0
    ? []
    : byShard<IdentityRow, Person>(tx, people, (part) => prepared(sql`${identityColumns} ${activeProfiles(part)}`))
}

/** Locks people in the order of buckets and ids. Waits for other transactions that have them locked. */
export async function lockIdentityRows(tx: Tx, people: readonly Person[]): Promise<IdentityRow[]> {
  if (people.length === 0) return []
  return byShard<IdentityRow, Person>(tx, people, (part) =>
    prepared(sql`${identityColumns} ${activeProfiles(part)} for update of p`),
  )
}

/** Locks people in the same order. Skips those that another transaction has locked. */
export async function lockFreeIdentityRows(tx: Tx, people: readonly Person[]): Promise<IdentityRow[]> {
  if (people.length === 0) return []
  return byShard<IdentityRow, Person>(tx, people, (part) =>
    prepared(sql`${identityColumns} ${activeProfiles(part)} for update of p skip locked`),
  )
}
