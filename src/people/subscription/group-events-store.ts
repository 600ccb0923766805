import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { insertEvents, insertSelectedEvents } from '../feed/write-store.ts'
import { distinct, listOwners } from '../identity/owner-profile-store.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { AddressStateRow } from './address-state-store.ts'
import type { MembershipRow } from './membership-store.ts'

/** A state of a group for an address that is about to be written. `address` is the plain one. */
export type AddressStateChange = AddressStateRow & { readonly address: string }

/** A state of a group for a person that is about to be written. */
export type MembershipChange = MembershipRow & { readonly workspace_id: number }

/**
 * Writes the events of people whose state in a group changes with the state of their address. Call it before the states are written, and
 * after the addresses of people. Locks the stored states, so that the state before is the right one.
 */
export async function insertAddressStateEvents(tx: Tx, rows: readonly AddressStateChange[]): Promise<void> {
  if (rows.length === 0) return
  if (tx.placement !== undefined) return insertAddressStateEventsByShard(tx, rows)
  await tx.query(
    prepared(sql`
    with v as materialized (select * from unnest(
      ${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.kind))}::text[], ${textArray(rows.map((row) => row.value))}::text[],
      ${textArray(rows.map((row) => row.address))}::text[], ${int4Array(rows.map((row) => row.group_id))}::int4[],
      ${textArray(rows.map((row) => row.state))}::text[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
      with ordinality v(bucket, workspace_id, kind, value, address, group_id, state, stamp, n)),
    stored as materialized (
      select a.bucket, a.workspace_id, a.kind, a.value, a.group_id, a.state from v
      join address_state a on a.bucket = v.bucket and a.workspace_id = v.workspace_id and a.kind = v.kind and a.value = v.value
        and a.group_id = v.group_id
      order by a.bucket, a.value, a.group_id for update of a)
    ${insertSelectedEvents(changedByAddress)}`),
  )
}

/** Does the same in several steps, because the people may be on other shards than the address. */
async function insertAddressStateEventsByShard(tx: Tx, rows: readonly AddressStateChange[]): Promise<void> {
  const stored = await byShardWithItems<{ n: number; state: string }, AddressStateChange>(tx, rows, (part) =>
    prepared(sql`
    select v.n::int4 as n, a.state from unnest(
      ${int4Array(part.items.map((row) => row.bucket))}::int4[], ${int4Array(part.items.map((row) => row.workspace_id))}::int4[],
      ${textArray(part.items.map((row) => row.kind))}::text[], ${textArray(part.items.map((row) => row.value))}::text[],
      ${int4Array(part.items.map((row) => row.group_id))}::int4[])
      with ordinality v(bucket, workspace_id, kind, value, group_id, n)
    join address_state a on a.bucket = v.bucket and a.workspace_id = v.workspace_id and a.kind = v.kind and a.value = v.value
      and a.group_id = v.group_id ${withinPart(part, 'a')}
    order by a.bucket, a.value, a.group_id for update of a`),
  )
  const before = new Map(stored.map(({ row, index }) => [index, row.state]))
  const owners = await listOwners(
    tx,
    rows.map(({ address, ...row }) => ({ ...row, value: address })),
  )
  const groups = await tx.query<{ group_id: number; id: string; channel: string }>(sql`
    select g.group_id, g.id, g.channel from subscription_group g
    where g.group_id = any(${int4Array(rows.map((row) => row.group_id))}::int4[])`)
  const own = await byShard<{ profile_id: string; group_id: number; state: string }, Person>(
    tx,
    distinct(owners.flat()),
    (part) =>
      prepared(sql`
    select m.profile_id, m.group_id, m.state from ${personRows(part.items)} w(bucket, profile_id)
    join membership m on m.bucket = w.bucket and m.profile_id = w.profile_id
      and m.group_id = any(${int4Array(rows.map((row) => row.group_id))}::int4[]) ${withinPart(part, 'm')}`),
  )
  const groupOf = new Map(groups.map((group) => [group.group_id, group]))
  const ownOf = new Map(own.map((each) => [`${each.profile_id} ${each.group_id}`, each.state]))
  const events = rows.flatMap(({ address, kind, state, group_id, workspace_id, stampUs }, i) => {
    const group = groupOf.get(group_id)
    if (group === undefined) return []
    const changed = owners[i]!.filter(({ profile_id }) => {
      const personal = ownOf.get(`${profile_id} ${group_id}`)
      return before.get(i) !== state || (personal !== undefined && personal !== state)
    })
    return changed.map((person) => ({
      type: 'subscription.changed' as const,
      workspace_id,
      person,
      key: `${person.profile_id}:${group.id}:${secondsOf(stampUs)}`,
      stampUs,
      address: kind === 'email' ? address : null,
      details: {
        subscription_group_id: group.id,
        channel: group.channel,
        state,
        ...(kind === 'phone' && { phone: address }),
      },
    }))
  })
  await insertEvents(tx, events)
}

/** Returns epoch microseconds as seconds with six decimals, as PostgreSQL writes them. */
function secondsOf(us: number): string {
  const seconds = Math.floor(us / 1_000_000)
  return `${seconds}.${String(us - seconds * 1_000_000).padStart(6, '0')}`
}

const changedByAddress: Sql = sql`
      select c.owner_bucket, c.owner_id, v.workspace_id, c.owner_id, 'subscription.changed',
        concat_ws(':', c.owner_id, g.id, extract(epoch from v.stamp)), v.stamp, v.n::int4, null::int8, null::text, null::int8, null::int4,
        case v.kind when 'email' then v.address end,
        json_strip_nulls(json_build_object('subscription_group_id', g.id, 'channel', g.channel, 'state', v.state,
          'phone', case v.kind when 'phone' then v.address end))::text
      from v join subscription_group g on g.group_id = v.group_id
      join contact c on c.bucket = v.bucket and c.workspace_id = v.workspace_id and c.kind = v.kind and c.value = v.address
      left join stored s on s.bucket = v.bucket and s.workspace_id = v.workspace_id and s.kind = v.kind and s.value = v.value
        and s.group_id = v.group_id
      left join membership m on m.bucket = c.owner_bucket and m.profile_id = c.owner_id and m.group_id = v.group_id
      where s.state is distinct from v.state or m.state <> v.state`

/**
 * Writes the events of people without an address for the channel whose state in a group changes. Call it before the states are written.
 * The people are locked.
 */
export async function insertMembershipEvents(tx: Tx, rows: readonly MembershipChange[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, MembershipChange>(tx, rows, (part) =>
    prepared(sql`
    with v as materialized (select * from unnest(
      ${int4Array(part.items.map((row) => row.person.bucket))}::int4[], ${int8Array(part.items.map((row) => row.person.key))}::int8[],
      ${int4Array(part.items.map((row) => row.workspace_id))}::int4[], ${int4Array(part.items.map((row) => row.group_id))}::int4[],
      ${textArray(part.items.map((row) => row.state))}::text[],
      ${timestampArray(part.items.map((row) => row.stampUs))}::timestamptz[])
      with ordinality v(bucket, profile_id, workspace_id, group_id, state, stamp, n))
    ${insertSelectedEvents(changedByPerson(part))}`),
  )
}

const changedByPerson = (part: ShardPart<MembershipChange>): Sql => sql`
      select v.bucket, v.profile_id, v.workspace_id, v.profile_id, 'subscription.changed',
        concat_ws(':', v.profile_id, g.id, extract(epoch from v.stamp)), v.stamp, v.n::int4, null::int8, null::text, null::int8, null::int4,
        null::text, json_build_object('subscription_group_id', g.id, 'channel', g.channel, 'state', v.state)::text
      from v join subscription_group g on g.group_id = v.group_id
      left join membership m on m.bucket = v.bucket and m.profile_id = v.profile_id and m.group_id = v.group_id
        ${withinPart(part, 'm')}
      where m.state is distinct from v.state`
