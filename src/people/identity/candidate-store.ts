import { int8Array } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { pipelined, prepared, sql } from '../../base/db/sql.ts'
import { queryByAnyPlan } from '../../base/db/transaction-settings.ts'
import { candidateMax } from './contact-store.ts'
import type { Candidate } from './directory.ts'
import { byIdentified, byLatestUpdate, listOwnerProfiles } from './owner-profile-store.ts'
import { type Located, type Person, person } from './person.ts'
import { personRows } from './person-store.ts'

type CandidateRow = { owner_bucket: number; owner_id: string; identified: boolean; updated_us: string }

function candidate(row: CandidateRow): Candidate {
  return {
    person: person(row.owner_bucket, row.owner_id),
    identified: row.identified,
    updatedUs: Number(row.updated_us),
  }
}

const updatedUs = sql`(date_part('epoch', p.updated_at) * 1000000)::int8 as updated_us`

/** Returns the data that decides between people with the same address, by profile_id. */
export async function listCandidates(tx: Tx, people: readonly Person[]): Promise<Map<string, Candidate>> {
  if (people.length === 0) return new Map()
  const rows = await byShard<CandidateRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.bucket as owner_bucket, p.profile_id as owner_id, p.external_id is not null as identified, ${updatedUs}
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  return new Map(rows.map((row) => [row.owner_id, candidate(row)]))
}

/**
 * Returns candidates of a crowded address. First come the best people outside `mentioned`, in the order of specification 4.1 rule 4. Then
 * come those of `mentioned` who have the address: the flush may give them another address.
 */
export async function findLatest(tx: Tx, address: Located, mentioned: readonly Person[]): Promise<Candidate[]> {
  if (tx.placement !== undefined) return findLatestByShard(tx, address, mentioned)
  const hasAddress = sql`c.bucket = ${address.bucket} and c.workspace_id = ${address.workspace_id}
      and c.kind = ${address.kind} and c.value = ${address.value}`
  const columns = sql`c.owner_bucket, c.owner_id, p.external_id is not null as identified, ${updatedUs}`
  const others = await queryByAnyPlan<CandidateRow>(
    tx,
    sql`
    select ${columns} from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where ${hasAddress} and c.owner_id <> all(${int8Array(mentioned.map((each) => each.key))}::int8[])
    order by identified desc, p.updated_at desc limit ${candidateMax}`,
  )
  const own = await tx.query<CandidateRow>(sql`
    select ${columns} from ${personRows(mentioned)} w(bucket, profile_id)
    cross join lateral (
      select owner_bucket, owner_id from contact c
      where ${hasAddress} and c.owner_bucket = w.bucket and c.owner_id = w.profile_id
      limit 1) c
    join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id`)
  return [...others, ...own].map(candidate)
}

/** Does the same in two steps, because the people may be on other shards than the address. */
async function findLatestByShard(tx: Tx, address: Located, mentioned: readonly Person[]): Promise<Candidate[]> {
  const owners = (await listOwnerProfiles(tx, [address])).flat()
  const named = new Set(mentioned.map(({ profile_id }) => profile_id))
  const others = owners.filter((each) => !named.has(each.person.profile_id))
  others.sort((one, other) => byIdentified(one, other) || byLatestUpdate(one, other))
  const own = owners.filter((each) => named.has(each.person.profile_id))
  return [...others.slice(0, candidateMax), ...own].map(({ isMerged: _, ...each }) => each)
}

/** Returns the workspace_id of each profile that exists and was not merged into another, by profile_id. */
export async function findExisting(tx: Tx, people: readonly Person[]): Promise<Map<string, number>> {
  const rows = await byShard<{ profile_id: string; workspace_id: number }, Person>(tx, people, (part) =>
    pipelined(
      prepared(sql`
    select p.profile_id, p.workspace_id from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')}`),
    ),
  )
  return new Map(rows.map((row) => [row.profile_id, row.workspace_id]))
}

/** Returns the profile_id of those profiles that have an external_id. */
export async function findIdentified(tx: Tx, people: readonly Person[]): Promise<string[]> {
  const rows = await byShard<{ profile_id: string }, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.external_id is not null ${withinPart(part, 'p')}`),
  )
  return rows.map((row) => row.profile_id)
}
