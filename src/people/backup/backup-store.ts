import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import {
  type BackupColumns,
  type BackupRow,
  type BackupTable,
  type BackupValue,
  profileColumns,
} from './backup-tables.ts'

/** A person of a page; `bytes` is the approximate size of the custom attributes. */
export type ProfileKey = { profile_id: string; bytes: number }

/** Below this number of bytes, the stored size is used. Larger values may be compressed, so their text is measured. */
const smallBytes = 20_000

/**
 * Lists the next people of a workspace in these buckets (ascending), in the order of their ids. `+ 0` prevents that a database without
 * statistics scans the workspace by `profile_time_zone`, once for each bucket.
 */
export async function listProfileKeys(
  tx: Tx,
  workspace_id: number,
  buckets: readonly number[],
  after: string,
  limit: number,
): Promise<ProfileKey[]> {
  const keys = await byShard<ProfileKey, number>(
    tx,
    buckets,
    (part) => sql`
    select k.profile_id, k.bytes
    from unnest(${int4Array(part.items)}::int4[]) with ordinality b(bucket, n)
    cross join lateral (
      select p.profile_id, case when pg_column_size(p.custom) < ${smallBytes} then pg_column_size(p.custom)
        else octet_length(p.custom::text) end as bytes
      from profile p
      where p.bucket = b.bucket and p.profile_id > ${after}::int8 and p.workspace_id + 0 = ${workspace_id}::int4
        and p.merged_into is null ${withinPart(part, 'p')}
      order by p.profile_id limit ${limit}) k
    order by b.n, k.profile_id limit ${limit}`,
    (bucket) => bucket,
  )
  if (tx.placement === undefined) return keys
  // An id begins with its bucket.
  return keys.sort((one, other) => (BigInt(one.profile_id) < BigInt(other.profile_id) ? -1 : 1)).slice(0, limit)
}

/** Returns the SQL for columns of a table. Moments become epoch microseconds. */
function selected(columns: BackupColumns): Sql {
  const names = Object.entries(columns).map(([name, { type }]) =>
    type === 'timestamptz' ? `(extract(epoch from t.${name}) * 1000000)::float8 as ${name}` : `t.${name}`,
  )
  return raw(names.join(', '))
}

const profileSelection = selected(profileColumns)

export type BackupProfile = BackupRow & {
  profile_id: string
  custom: Readonly<Record<string, BackupValue>>
  email: string | null
  phone: string | null
}

/** Lists profiles in the order of buckets and ids. */
export async function listBackupProfiles(tx: Tx, people: readonly Person[]): Promise<BackupProfile[]> {
  return tx.query<BackupProfile>(
    prepared(sql`
    select t.profile_id, t.custom, ${profileSelection}
    from ${personRows(people)} w(bucket, profile_id)
    join profile t on t.bucket = w.bucket and t.profile_id = w.profile_id
    where t.merged_into is null order by t.bucket, t.profile_id`),
  )
}

export type PersonTableRow = BackupRow & { profile_id: string }

/** Lists the rows of these people in a table, in the order of its key. */
export async function listRows(
  tx: Tx,
  { table, columns, key }: BackupTable,
  people: readonly Person[],
): Promise<PersonTableRow[]> {
  const order = key.map((name) => (columns[name]!.type === 'text' ? `t.${name} collate "C"` : `t.${name}`))
  return tx.query<PersonTableRow>(
    prepared(sql`
    select t.profile_id, ${selected(columns)}
    from ${personRows(people)} w(bucket, profile_id)
    join ${raw(table)} t on t.bucket = w.bucket and t.profile_id = w.profile_id
    order by ${raw(order.join(', '))}`),
  )
}

/** An id with history of the n-th person: their own, or the id of a merged profile whose history is still to be moved. */
export type HistorySource = { n: number; person: Person }

export function sourceRows(sources: readonly HistorySource[]): Sql {
  return sql`(select v.n, w.bucket, w.profile_id
    from unnest(${int4Array(sources.map((source) => source.n))}::int4[]) with ordinality v(n, i)
    join ${personRows(sources.map((source) => source.person))} with ordinality w(bucket, profile_id, i) on w.i = v.i)`
}

/** Lists the ids with history of these people, numbered from 0. */
export async function findHistorySources(tx: Tx, people: readonly Person[]): Promise<HistorySource[]> {
  const rows = await tx.query<{ n: number; from_bucket: number; from_id: string }>(
    prepared(sql`
    select (w.n - 1)::int as n, a.from_bucket, a.from_id
    from ${personRows(people)} with ordinality w(bucket, profile_id, n)
    join merged_profile a on a.bucket = w.bucket and a.profile_id = w.profile_id
    where not a.moved`),
  )
  const own = people.map((one, n) => ({ n, person: one }))
  return [...own, ...rows.map((row) => ({ n: row.n, person: person(row.from_bucket, row.from_id) }))]
}

export type AddressStateRow = {
  n: number
  group_id: number
  state: string
  stamp: number
}

type HashedAddress = { bucket: number; workspace_id: number; kind: string; value: string }

/** Lists the stored states of these addresses, numbered from 0. */
export async function listAddressStates(tx: Tx, addresses: readonly HashedAddress[]): Promise<AddressStateRow[]> {
  if (addresses.length === 0) return []
  return tx.query<AddressStateRow>(
    prepared(sql`
    select (w.n - 1)::int as n, a.group_id, a.state, (extract(epoch from a.stamp) * 1000000)::float8 as stamp
    from unnest(
      ${int4Array(addresses.map((each) => each.bucket))}::int4[], ${int4Array(addresses.map((each) => each.workspace_id))}::int4[],
      ${textArray(addresses.map((each) => each.kind))}::text[], ${textArray(addresses.map((each) => each.value))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
    order by w.n, a.group_id`),
  )
}

export type HashedStateRow = Omit<AddressStateRow, 'n'> & { bucket: number; kind: 'email' | 'phone'; value: string }

/** Lists the next states of addresses of a workspace in these buckets (ascending), after the given one. */
export async function listHashedStates(
  tx: Tx,
  workspace_id: number,
  buckets: readonly number[],
  after: { bucket: number; kind: string; value: string; group_id: number },
  limit: number,
): Promise<HashedStateRow[]> {
  const states = await byShard<HashedStateRow, number>(
    tx,
    buckets,
    (part) => sql`
    select b.bucket, k.kind, k.value, k.group_id, k.state, (extract(epoch from k.stamp) * 1000000)::float8 as stamp
    from unnest(${int4Array(part.items)}::int4[]) with ordinality b(bucket, n)
    cross join lateral (
      select * from address_state a
      where a.bucket = b.bucket and a.workspace_id = ${workspace_id} and (b.bucket, a.kind, a.value, a.group_id)
        > (${after.bucket}::int4, ${after.kind}::text, ${after.value}::text, ${after.group_id}::int4)
        ${withinPart(part, 'a')}
      order by a.kind, a.value, a.group_id limit ${limit}) k
    order by b.n, k.kind, k.value, k.group_id limit ${limit}`,
    (bucket) => bucket,
  )
  if (tx.placement === undefined) return states
  // Those of one bucket are on one shard, and in their order already.
  return states.sort((one, other) => one.bucket - other.bucket).slice(0, limit)
}
