import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { Located, Person } from '../identity/person.ts'
import { peopleOf } from '../identity/person-store.ts'

/** The state of a group that was set for a person. `stamp` is epoch microseconds. */
export type GroupStateRow = {
  profile_id: string
  group_id: number
  kind: 'email' | 'phone'
  state: string
  stamp: number
}

/** Group states set for these people; `kind` is that of the address which the group writes to. */
export async function listGroupStates(tx: Tx, people: readonly Person[]): Promise<GroupStateRow[]> {
  return tx.query<GroupStateRow>(
    prepared(sql`
    select m.profile_id, m.group_id, case g.channel when 'email' then 'email' else 'phone' end as kind, m.state,
      (extract(epoch from m.stamp) * 1000000)::float8 as stamp
    from ${peopleOf(people)} w(bucket, profile_id)
    join membership m on m.bucket = w.bucket and m.profile_id = w.profile_id
    join subscription_group g on g.group_id = m.group_id`),
  )
}

export async function deleteMemberships(tx: Tx, rows: readonly { owner: Person; group_id: number }[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    delete from membership m using unnest(
      ${int4Array(rows.map((row) => row.owner.bucket))}::int4[], ${int8Array(rows.map((row) => row.owner.key))}::int8[],
      ${int4Array(rows.map((row) => row.group_id))}::int4[]) v(bucket, profile_id, group_id)
    where m.bucket = v.bucket and m.profile_id = v.profile_id and m.group_id = v.group_id`),
  )
}

/** An address as its states are kept: `value` is the keyed hash, `bucket` that of the plain address. */
export type HiddenAddress = Located<'email' | 'phone'>

/** Whether states of these groups are kept for these addresses: the places in the list of those that are. */
export async function findAddressGroups(
  tx: Tx,
  asked: readonly (HiddenAddress & { group_id: number })[],
): Promise<Set<number>> {
  if (asked.length === 0) return new Set()
  const rows = await tx.query<{ n: number }>(
    prepared(sql`
    select w.n::int as n
    from unnest(${addressColumns(asked)}, ${int4Array(asked.map((each) => each.group_id))}::int4[])
      with ordinality w(bucket, workspace_id, kind, value, group_id, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
      and a.group_id = w.group_id`),
  )
  return new Set(rows.map((row) => row.n - 1))
}

export type AddressState = HiddenAddress & { group_id: number; state: string; stampUs: number }

/** Keeps states for addresses, one row per address and group; one that was set later stays. */
export async function rememberStates(tx: Tx, rows: readonly AddressState[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into address_state as a (bucket, workspace_id, kind, value, group_id, state, stamp)
    select * from unnest(${addressColumns(rows)}, ${int4Array(rows.map((row) => row.group_id))}::int4[],
      ${textArray(rows.map((row) => row.state))}::text[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
    on conflict (bucket, workspace_id, kind, value, group_id) do update
      set state = excluded.state, stamp = excluded.stamp where a.stamp < excluded.stamp`),
  )
}

/** Which of these addresses (as they are looked up) somebody has: their places in the list. */
export async function findHeld(tx: Tx, asked: readonly Located[]): Promise<Set<number>> {
  if (asked.length === 0) return new Set()
  const rows = await tx.query<{ n: number }>(
    prepared(sql`
    select w.n::int as n from unnest(${addressColumns(asked)}) with ordinality w(bucket, workspace_id, kind, value, n)
    where exists (select 1 from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value)`),
  )
  return new Set(rows.map((row) => row.n - 1))
}

function addressColumns(rows: readonly Located[]): Sql {
  return sql`${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.kind))}::text[], ${textArray(rows.map((row) => row.value))}::text[]`
}
