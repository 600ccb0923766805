import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { microsecondAfter } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

export type GroupState = 'subscribed' | 'unsubscribed'

/** The state of one group for a person. */
export type MembershipRow = { person: Person; group_id: number; state: GroupState; stampUs: number }

/**
 * Writes group states of people: one row per person and group, in key order. The later write wins even if another process with a clock that
 * is ahead has stamped the stored row. Then the new stamp is right after the stored one.
 */
export async function upsertMemberships(tx: Tx, rows: readonly MembershipRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into membership as m (bucket, profile_id, group_id, state, stamp)
    select * from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${int4Array(rows.map((row) => row.group_id))}::int4[], ${textArray(rows.map((row) => row.state))}::text[],
      ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
    on conflict (bucket, profile_id, group_id) do update
      set state = excluded.state, stamp = greatest(excluded.stamp, ${microsecondAfter(sql`m.stamp`)})`)
}

/** A stored group state of a person. `stamp` is epoch microseconds. */
export type GroupStateRow = {
  profile_id: string
  group_id: number
  kind: 'email' | 'phone'
  state: string
  stamp: number
}

/** Returns the group states of these people. `kind` is the kind of address to which messages of the group go. */
export async function listGroupStates(tx: Tx, people: readonly Person[]): Promise<GroupStateRow[]> {
  return byShard<GroupStateRow, Person>(tx, people, (part) =>
    prepared(sql`
    select m.profile_id, m.group_id, case g.channel when 'email' then 'email' else 'phone' end as kind, m.state,
      (extract(epoch from m.stamp) * 1000000)::float8 as stamp
    from ${personRows(part.items)} w(bucket, profile_id)
    join membership m on m.bucket = w.bucket and m.profile_id = w.profile_id ${withinPart(part, 'm')}
    join subscription_group g on g.group_id = m.group_id`),
  )
}

export async function deleteMemberships(tx: Tx, rows: readonly { owner: Person; group_id: number }[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, (typeof rows)[number]>(
    tx,
    rows,
    (part) =>
      prepared(sql`
    delete from membership m using unnest(
      ${int4Array(part.items.map((row) => row.owner.bucket))}::int4[], ${int8Array(part.items.map((row) => row.owner.key))}::int8[],
      ${int4Array(part.items.map((row) => row.group_id))}::int4[]) v(bucket, profile_id, group_id)
    where m.bucket = v.bucket and m.profile_id = v.profile_id and m.group_id = v.group_id ${withinPart(part, 'm')}`),
    ({ owner }) => owner.bucket,
  )
}
