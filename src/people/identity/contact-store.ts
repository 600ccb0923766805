import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { pipelined, prepared, sql } from '../../base/db/sql.ts'
import { locatedRows } from './identifier-store.ts'
import { byLatestUpdate, listOwnerProfiles } from './owner-profile-store.ts'
import { type Located, type Person, person } from './person.ts'

/** A row for a person who has an address. */
export type ContactRow = Located<'email' | 'phone'> & { owner: Person }

type ContactColumns = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

function contactColumns(rows: readonly ContactRow[]): ContactColumns {
  return [
    int4Array(rows.map((row) => row.bucket)),
    int4Array(rows.map((row) => row.workspace_id)),
    textArray(rows.map((row) => row.kind)),
    textArray(rows.map((row) => row.value)),
    int4Array(rows.map((row) => row.owner.bucket)),
    int8Array(rows.map((row) => row.owner.key)),
  ]
}

export async function insertContacts(tx: Tx, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return
  const [bucket, workspace, kind, value, ownerBucket, owner] = contactColumns(rows)
  await tx.query(sql`
    insert into contact (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select * from unnest(
      ${bucket}::int4[], ${workspace}::int4[], ${kind}::text[], ${value}::text[], ${ownerBucket}::int4[], ${owner}::int8[])
    on conflict do nothing`)
}

export async function deleteContacts(tx: Tx, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, ContactRow>(tx, rows, (part) => {
    const [bucket, workspace, kind, value, ownerBucket, owner] = contactColumns(part.items)
    return prepared(sql`
    delete from contact c using unnest(
      ${bucket}::int4[], ${workspace}::int4[], ${kind}::text[], ${value}::text[], ${ownerBucket}::int4[], ${owner}::int8[]
    ) v(bucket, workspace_id, kind, value, owner_bucket, owner_id)
    where c.bucket = v.bucket and c.workspace_id = v.workspace_id and c.kind = v.kind and c.value = v.value
      and c.owner_bucket = v.owner_bucket and c.owner_id = v.owner_id ${withinPart(part, 'c')}`)
  })
}

/** The most people that are loaded for one address. `findLatest` reads an address that more people have. */
export const candidateMax = 64

type OwnerRow = { owner_bucket: number; owner_id: string }

/**
 * Returns the owners of each address by identity key, at most `candidateMax + 1`. More than `candidateMax` mean that the address is
 * crowded.
 */
export async function findAddressOwners(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person[]>> {
  const found = await byShardWithItems<OwnerRow & { n: number }, Located & { key: string }>(tx, wanted, (part) =>
    pipelined(
      prepared(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id
    from ${locatedRows(part.items)} with ordinality w(bucket, workspace_id, kind, value, n)
    cross join lateral (
      select owner_bucket, owner_id from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
      ${withinPart(part, 'c')} limit ${candidateMax + 1}) c`),
    ),
  )
  const owners = new Map<string, Person[]>()
  for (const { row, item } of found) {
    const { key } = item
    const owner = person(row.owner_bucket, row.owner_id)
    const list = owners.get(key)
    if (list) list.push(owner)
    else owners.set(key, [owner])
  }
  return owners
}

/** Returns people who have an address, the most recently updated first. */
export async function findOwners(tx: Tx, address: Located, limit: number): Promise<Person[]> {
  if (tx.placement !== undefined) {
    const owners = await listOwnerProfiles(tx, [address])
    return owners
      .flat()
      .sort(byLatestUpdate)
      .slice(0, limit)
      .map((each) => each.person)
  }
  const rows = await tx.query<OwnerRow>(sql`
    select c.owner_bucket, c.owner_id
    from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where c.bucket = ${address.bucket} and c.workspace_id = ${address.workspace_id}
      and c.kind = ${address.kind} and c.value = ${address.value}
    order by p.updated_at desc limit ${limit}`)
  return rows.map((row) => person(row.owner_bucket, row.owner_id))
}

/** Returns the positions of the addresses that people outside `except` have. */
export async function findHeld(
  tx: Tx,
  addresses: readonly Located[],
  except: readonly Person[] = [],
): Promise<Set<number>> {
  if (addresses.length === 0) return new Set()
  const found = await byShardWithItems<{ n: number }, Located>(tx, addresses, (part) =>
    prepared(sql`
    select w.n::int as n from ${locatedRows(part.items)} with ordinality w(bucket, workspace_id, kind, value, n)
    where exists (select 1 from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
        and c.owner_id <> all(${int8Array(except.map(({ key }) => key))}::int8[])
        ${withinPart(part, 'c')})`),
  )
  return new Set(found.map(({ index }) => index))
}
