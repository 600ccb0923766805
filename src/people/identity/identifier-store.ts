import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { pipelined, prepared, type Sql, sql } from '../../base/db/sql.ts'
import { identityKey } from './directory.ts'
import type { Identifier } from './identifier.ts'
import { type HashAddress, type Located, type Person, person } from './person.ts'
import { personRows } from './person-store.ts'

/** Identifiers or addresses as rows of bucket, workspace, kind and value. */
export function locatedRows(wanted: readonly Located[]): Sql {
  return sql`unnest(
    ${int4Array(wanted.map((entry) => entry.bucket))}::int4[],
    ${int4Array(wanted.map((entry) => entry.workspace_id))}::int4[],
    ${textArray(wanted.map((entry) => entry.kind))}::text[],
    ${textArray(wanted.map((entry) => entry.value))}::text[])`
}

function rowKey(entry: Omit<Located, 'bucket'>): string {
  return identityKey(entry.workspace_id, entry as Pick<Identifier, 'kind' | 'value'>)
}

type OwnerRow = { n: number; owner_bucket: number; owner_id: string }

/** Returns the owners of exclusive identifiers by identity key, without the identifiers that have no owner. */
export async function findIdentifiers(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person>> {
  const found = await byShardWithItems<OwnerRow, Located & { key: string }>(tx, wanted, (part) =>
    pipelined(
      prepared(sql`
    select w.n::int as n, i.owner_bucket, i.owner_id
    from ${locatedRows(part.items)} with ordinality w(bucket, workspace_id, kind, value, n)
    join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
    where i.owner_id is not null ${withinPart(part, 'i')}`),
    ),
  )
  return new Map(found.map(({ row, item }) => [item.key, person(row.owner_bucket, row.owner_id)]))
}

/** Locks identifiers in the given order. Returns their owners by key, without the identifiers that have no owner. */
export async function lockIdentifiers(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person>> {
  if (wanted.length === 0) return new Map()
  const locked = await byShardWithItems<OwnerRow, Located & { key: string }>(tx, wanted, (part) =>
    prepared(sql`
    select w.n::int as n, i.owner_bucket, i.owner_id
    from ${locatedRows(part.items)} with ordinality w(bucket, workspace_id, kind, value, n)
    join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
    where i.owner_id is not null ${withinPart(part, 'i')} order by w.n for update of i`),
  )
  return new Map(locked.map(({ row, item }) => [item.key, person(row.owner_bucket, row.owner_id)]))
}

/** An identifier and the person that it names. */
export type OwnedIdentifier = Located & { owner: Person }

function insertion(wanted: readonly OwnedIdentifier[]): Sql {
  return sql`
    insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select unnest(${int4Array(wanted.map((entry) => entry.bucket))}::int4[]),
      unnest(${int4Array(wanted.map((entry) => entry.workspace_id))}::int4[]),
      unnest(${textArray(wanted.map((entry) => entry.kind))}::text[]),
      unnest(${textArray(wanted.map((entry) => entry.value))}::text[]),
      unnest(${int4Array(wanted.map((entry) => entry.owner.bucket))}::int4[]),
      unnest(${int8Array(wanted.map((entry) => entry.owner.key))}::int8[])`
}

/** Reserves identifiers for people and returns the keys of those that were free. `wanted` is in lock order. */
export async function insertIdentifiers(
  tx: Tx,
  wanted: readonly (OwnedIdentifier & { key: string })[],
): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const rows = await tx.query<Omit<Located, 'bucket'>>(
    prepared(sql`${insertion(wanted)} on conflict do nothing returning workspace_id, kind, value`),
  )
  return new Set(rows.map(rowKey))
}

/**
 * Reserves identifiers that had no owner in a look-up just before. If another transaction was faster, this one fails and `retryWhenRemoved`
 * runs it again. So the caller need not wait for the keys of the free identifiers.
 */
export async function reserveIdentifiers(tx: Tx, wanted: readonly OwnedIdentifier[]): Promise<void> {
  if (wanted.length > 0) await tx.query(prepared(insertion(wanted)))
}

/** Sets the owners of identifiers whose rows are locked. */
export async function updateOwners(tx: Tx, given: readonly OwnedIdentifier[]): Promise<void> {
  if (given.length === 0) return
  await byShard<unknown, OwnedIdentifier>(tx, given, (part) =>
    prepared(sql`
    update identifier i set owner_bucket = v.owner_bucket, owner_id = v.owner_id
    from unnest(
      ${int4Array(part.items.map((entry) => entry.bucket))}::int4[], ${int4Array(part.items.map((entry) => entry.workspace_id))}::int4[],
      ${textArray(part.items.map((entry) => entry.kind))}::text[], ${textArray(part.items.map((entry) => entry.value))}::text[],
      ${int4Array(part.items.map((entry) => entry.owner.bucket))}::int4[], ${int8Array(part.items.map((entry) => entry.owner.key))}::int8[]
    ) v(bucket, workspace_id, kind, value, owner_bucket, owner_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value ${withinPart(part, 'i')}`),
  )
}

/** Gives identifiers to people, even if others have them. `rows` is in lock order. Returns the former owners by the position of the row. */
export async function takeIdentifiers(tx: Tx, rows: readonly OwnedIdentifier[]): Promise<Map<number, Person>> {
  if (rows.length === 0) return new Map()
  const given = (each: readonly OwnedIdentifier[]) => sql`unnest(
      ${int4Array(each.map((row) => row.bucket))}::int4[], ${int4Array(each.map((row) => row.workspace_id))}::int4[],
      ${textArray(each.map((row) => row.kind))}::text[], ${textArray(each.map((row) => row.value))}::text[],
      ${int4Array(each.map((row) => row.owner.bucket))}::int4[], ${int8Array(each.map((row) => row.owner.key))}::int8[])`
  await tx.query(sql`
    insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select v.bucket, v.workspace_id, v.kind, v.value, v.owner_bucket, v.owner_id
    from ${given(rows)} v(bucket, workspace_id, kind, value, owner_bucket, owner_id)
    on conflict do nothing`)
  // From here on no other transaction can take the same identifiers.
  const owners = await byShardWithItems<OwnerRow, OwnedIdentifier>(tx, rows, (part) =>
    prepared(sql`
    select v.n::int as n, i.owner_bucket, i.owner_id
    from ${given(part.items)} with ordinality v(bucket, workspace_id, kind, value, owner_bucket, owner_id, n)
    join identifier i on i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value
    where true ${withinPart(part, 'i')} order by v.n for update of i`),
  )
  const others = owners.filter(({ row, item }) => row.owner_id !== item.owner.profile_id)
  if (others.length > 0) await updateOwners(tx, rows)
  return new Map(others.map(({ row, index }) => [index, person(row.owner_bucket, row.owner_id)]))
}

/**
 * Locks a row for each address that has no owner yet, until the transaction ends. The row remains after its owners are deleted, so it has
 * only the hash of the address.
 */
export async function lockAnchors(tx: Tx, wanted: readonly Located[], hashAddress: HashAddress): Promise<void> {
  const hidden = wanted.map((entry) => {
    const { workspace_id, kind, value } = entry
    return kind === 'email' || kind === 'phone' ? { ...entry, value: hashAddress(workspace_id, kind, value) } : entry
  })
  let locked: unknown[]
  do {
    await tx.query(sql`
      insert into identifier (bucket, workspace_id, kind, value)
      select w.bucket, w.workspace_id, w.kind, w.value
      from ${locatedRows(hidden)} with ordinality w(bucket, workspace_id, kind, value, n)
      order by w.n on conflict do nothing`)
    locked = await byShard<unknown, Located>(tx, hidden, (part) =>
      prepared(sql`
      select 1 from ${locatedRows(part.items)} w(bucket, workspace_id, kind, value)
      join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
      where true ${withinPart(part, 'i')} order by i.bucket, i.workspace_id, i.kind, i.value for update of i`),
    )
    // Another transaction may have deleted the row meanwhile, with its owner.
  } while (locked.length < hidden.length)
}

export type IdentifierRow = Identifier & { readonly profile_id: string }

/**
 * Returns the identifiers of these people that are not columns of their profiles: aliases, devices, push tokens and former external ids.
 * New ones are added only under the lock of the profile. Another person may take a push token at any time.
 */
export async function listIdentifiers(tx: Tx, people: readonly Person[]): Promise<IdentifierRow[]> {
  return byShard<IdentifierRow, Person>(tx, people, (part) =>
    prepared(sql`
    with given as materialized (select * from ${personRows(part.items)} w(bucket, profile_id))
    select w.profile_id, 'alias' as kind, a.alias_label || chr(31) || a.alias_name as value
    from given w join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id ${withinPart(part, 'a')}
    union all
    select w.profile_id, 'device', d.device_id
    from given w join device d on d.bucket = w.bucket and d.profile_id = w.profile_id ${withinPart(part, 'd')}
    union all
    select w.profile_id, 'push_token', t.app_id || chr(31) || t.token
    from given w join push_token t on t.bucket = w.bucket and t.profile_id = w.profile_id ${withinPart(part, 't')}
    union all
    select w.profile_id, 'external_id', f.external_id
    from given w join former_id f on f.bucket = w.bucket and f.profile_id = w.profile_id ${withinPart(part, 'f')}`),
  )
}

function columnsOf(rows: readonly OwnedIdentifier[]): Sql {
  return sql`${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.kind))}::text[], ${textArray(rows.map((row) => row.value))}::text[],
      ${int8Array(rows.map((row) => row.owner.key))}::int8[]`
}

/** Gives identifiers to `into`. Skips identifiers that another person has meanwhile. */
export async function repointIdentifiers(tx: Tx, rows: readonly (OwnedIdentifier & { into: Person })[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, OwnedIdentifier & { into: Person }>(tx, rows, (part) =>
    prepared(sql`
    update identifier i set owner_bucket = v.into_bucket, owner_id = v.into_id
    from unnest(${columnsOf(part.items)}, ${int4Array(part.items.map((row) => row.into.bucket))}::int4[],
      ${int8Array(part.items.map((row) => row.into.key))}::int8[]) v(bucket, workspace_id, kind, value, owner_id, into_bucket, into_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value
      and i.owner_id = v.owner_id ${withinPart(part, 'i')}`),
  )
}

/** Deletes identifiers of people. Skips identifiers that another person has meanwhile. */
export async function deleteIdentifiers(tx: Tx, rows: readonly OwnedIdentifier[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, OwnedIdentifier>(tx, rows, (part) =>
    prepared(sql`
    delete from identifier i using unnest(${columnsOf(part.items)}) v(bucket, workspace_id, kind, value, owner_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value
      and i.owner_id = v.owner_id ${withinPart(part, 'i')}`),
  )
}
