import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { locatedRows } from './identifier-store.ts'
import { type Located, type Person, person } from './person.ts'
import { personRows } from './person-store.ts'

// The steps of a look-up of the owners of addresses where there are shards, because an address and its owners may be on different shards.
// Elsewhere a join does it.

/** Returns all people who have each address, in the order of the addresses. */
export async function listOwners(tx: Tx, addresses: readonly Located[]): Promise<Person[][]> {
  const owners: Person[][] = addresses.map(() => [])
  const rows = await byShardWithItems<{ n: number; owner_bucket: number; owner_id: string }, Located>(
    tx,
    addresses,
    (part) =>
      prepared(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id from ${locatedRows(part.items)} with ordinality w(bucket, workspace_id, kind, value, n)
    join contact c on c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
      ${withinPart(part, 'c')}`),
  )
  for (const { row, index } of rows) owners[index]!.push(person(row.owner_bucket, row.owner_id))
  return owners
}

/** A person who has an address, with what decides between several. */
export type OwnerProfile = {
  readonly person: Person
  readonly identified: boolean
  readonly updatedUs: number
  readonly isMerged: boolean
}

type ProfileRow = { profile_id: string; identified: boolean; is_merged: boolean; updated_us: string }

/** Does the same with the profiles of the owners. Owners without a profile are missing. */
export async function listOwnerProfiles(tx: Tx, addresses: readonly Located[]): Promise<OwnerProfile[][]> {
  const owners = await listOwners(tx, addresses)
  const people = distinct(owners.flat())
  const rows = await byShard<ProfileRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.external_id is not null as identified, p.merged_into is not null as is_merged,
      (extract(epoch from p.updated_at) * 1000000)::int8 as updated_us
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  const profiles = new Map(rows.map((row) => [row.profile_id, row]))
  return owners.map((own) =>
    own.flatMap((each) => {
      const row = profiles.get(each.profile_id)
      if (row === undefined) return []
      const { identified, is_merged, updated_us } = row
      return [{ person: each, identified, isMerged: is_merged, updatedUs: Number(updated_us) }]
    }),
  )
}

/** Returns each person once. */
export function distinct(people: readonly Person[]): Person[] {
  return [...new Map(people.map((each) => [each.profile_id, each])).values()]
}

/** Orders people by their last update, the latest first. */
export function byLatestUpdate(one: Pick<OwnerProfile, 'updatedUs'>, other: Pick<OwnerProfile, 'updatedUs'>): number {
  return other.updatedUs - one.updatedUs
}

/** Orders people with an external_id before others. */
export function byIdentified(one: Pick<OwnerProfile, 'identified'>, other: Pick<OwnerProfile, 'identified'>): number {
  return Number(other.identified) - Number(one.identified)
}
