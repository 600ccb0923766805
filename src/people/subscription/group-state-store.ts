import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardNumbered, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { distinct, listOwners } from '../identity/owner-profile-store.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { AddressStateRow } from './address-state-store.ts'
import type { GroupState } from './membership-store.ts'

/** The key under which the group states of an address are stored. `n` is the position of its person. */
export type AddressKey = Pick<AddressStateRow, 'bucket' | 'workspace_id' | 'kind' | 'value'> & { n: number }

export type StateRow = {
  n: number
  group_id: number
  state: GroupState
  stamp_us: string
  kind: 'person' | 'email' | 'phone'
}

/** Returns every stored group state of these people and of their addresses. `effectiveStates` decides which one is in effect. */
export async function listStates(
  tx: Tx,
  people: readonly Person[],
  addresses: readonly AddressKey[],
): Promise<StateRow[]> {
  if (tx.placement === undefined)
    return tx.query<StateRow>(
      prepared(sql`${statesOfPeople({ items: people })}
    union all${statesOfAddresses({ items: addresses })}`),
    )
  const own = await byShardNumbered<StateRow, Person>(tx, people, (part) => prepared(statesOfPeople(part)))
  const ofAddresses = await byShard<StateRow, AddressKey>(tx, addresses, (part) => prepared(statesOfAddresses(part)))
  return [...own, ...ofAddresses]
}

function statesOfPeople(part: ShardPart<Person>): Sql {
  return sql`
    select w.n::int as n, m.group_id, m.state, (extract(epoch from m.stamp) * 1000000)::int8 as stamp_us, 'person' as kind
    from ${personRows(part.items)} with ordinality w(bucket, profile_id, n)
    join membership m on m.bucket = w.bucket and m.profile_id = w.profile_id ${withinPart(part, 'm')}`
}

function statesOfAddresses(part: ShardPart<AddressKey>): Sql {
  return sql`
    select w.n, a.group_id, a.state, (extract(epoch from a.stamp) * 1000000)::int8 as stamp_us, a.kind
    from unnest(
      ${int4Array(part.items.map((each) => each.n))}::int4[], ${int4Array(part.items.map((each) => each.bucket))}::int4[],
      ${int4Array(part.items.map((each) => each.workspace_id))}::int4[], ${textArray(part.items.map((each) => each.kind))}::text[],
      ${textArray(part.items.map((each) => each.value))}::text[]) w(n, bucket, workspace_id, kind, value)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
      ${withinPart(part, 'a')}`
}

/** An address in plain text; `value` is the hash under which its states are stored. */
export type QueriedAddress = AddressKey & { address: string }

/**
 * Returns the latest state of each address in one group, of the address itself or of a person who has it now. Addresses without a state are
 * omitted.
 */
export async function listLatestStates(
  tx: Tx,
  group_id: number,
  addresses: readonly QueriedAddress[],
): Promise<Pick<StateRow, 'n' | 'state'>[]> {
  if (tx.placement !== undefined) return lookLatestStatesUp(tx, group_id, addresses)
  const queried = sql`unnest(
      ${int4Array(addresses.map((each) => each.n))}::int4[], ${int4Array(addresses.map((each) => each.bucket))}::int4[],
      ${int4Array(addresses.map((each) => each.workspace_id))}::int4[], ${textArray(addresses.map((each) => each.kind))}::text[],
      ${textArray(addresses.map((each) => each.address))}::text[], ${textArray(addresses.map((each) => each.value))}::text[]
    ) w(n, bucket, workspace_id, kind, address, value)`
  return tx.query(
    prepared(sql`
    select distinct on (s.n) s.n, s.state from (
      select w.n, o.state, o.stamp from ${queried}
      cross join lateral (
        select m.state, m.stamp from contact c
        join membership m on m.bucket = c.owner_bucket and m.profile_id = c.owner_id and m.group_id = ${group_id}
        where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.address
        order by m.stamp desc limit 1) o
      union all
      select w.n, a.state, a.stamp from ${queried}
      join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
        and a.group_id = ${group_id}) s
    order by s.n, s.stamp desc`),
  )
}

type StampedState = { readonly state: GroupState; readonly stamp_us: string }

/** Does the same in several steps, because the people may be on other shards than the address. */
async function lookLatestStatesUp(
  tx: Tx,
  group_id: number,
  addresses: readonly QueriedAddress[],
): Promise<Pick<StateRow, 'n' | 'state'>[]> {
  const owners = await listOwners(
    tx,
    addresses.map(({ address, ...each }) => ({ ...each, value: address })),
  )
  const own = await byShard<StampedState & { profile_id: string }, Person>(tx, distinct(owners.flat()), (part) =>
    prepared(sql`
    select m.profile_id, m.state, (extract(epoch from m.stamp) * 1000000)::int8 as stamp_us
    from ${personRows(part.items)} w(bucket, profile_id)
    join membership m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.group_id = ${group_id} ${withinPart(part, 'm')}`),
  )
  const stored = await byShardWithItems<StampedState & { n: number }, QueriedAddress>(tx, addresses, (part) =>
    prepared(sql`
    select w.n::int as n, a.state, (extract(epoch from a.stamp) * 1000000)::int8 as stamp_us
    from unnest(
      ${int4Array(part.items.map((each) => each.bucket))}::int4[], ${int4Array(part.items.map((each) => each.workspace_id))}::int4[],
      ${textArray(part.items.map((each) => each.kind))}::text[], ${textArray(part.items.map((each) => each.value))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
      and a.group_id = ${group_id} ${withinPart(part, 'a')}`),
  )
  const ownOf = new Map(own.map((each) => [each.profile_id, each]))
  const latest = new Map<number, StampedState>()
  const note = (n: number, state: StampedState | undefined) => {
    const before = latest.get(n)
    if (state && (!before || Number(state.stamp_us) > Number(before.stamp_us))) latest.set(n, state)
  }
  for (const [i, { n }] of addresses.entries()) for (const { profile_id } of owners[i]!) note(n, ownOf.get(profile_id))
  for (const { row, item } of stored) note(item.n, row)
  return [...latest].map(([n, { state }]) => ({ n, state }))
}
