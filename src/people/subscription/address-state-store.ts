import { int4Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { microsecondAfter } from '../../base/db/timestamps.ts'
import type { ContactRow } from '../identity/contact-store.ts'
import type { Located } from '../identity/person.ts'
import type { InheritedState } from '../profile/email-state-store.ts'
import type { SubscribeState } from '../profile/standard.ts'
import type { GroupState } from './membership-store.ts'

/** The `group_id` under which an e-mail address keeps its own subscription state, beside the states of groups. */
export const ownStateGroup = 0

/** The state of one group for an address. It applies to all people who have the address, now or later. */
export type AddressGroupState = {
  workspace_id: number
  kind: 'email' | 'phone'
  value: string
  group_id: number
  state: GroupState
  stampUs: number
}

/** A stored state of an address: `value` is the keyed hash of the address (`HashAddress`), `bucket` is that of the plain address. */
export type AddressStateRow = AddressGroupState & { bucket: number }

/**
 * Writes group states of addresses: one row per address and group, in key order. The later write wins even if another process with a clock
 * that is ahead has stamped the stored row. Then the new stamp is right after the stored one.
 */
export async function upsertAddressStates(tx: Tx, rows: readonly AddressStateRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(upsert(rows))
}

/** An e-mail address in its bucket; `hidden` is its keyed hash (`HashAddress`), under which its states are stored. */
type HashedEmail = { bucket: number; workspace_id: number; email: string; hidden: string }

/** The subscription state of an e-mail address itself, as opposed to its states in groups. */
export type EmailState = HashedEmail & { state: SubscribeState; stampUs: number }

/** Writes the subscription states of e-mail addresses themselves in the same way. Returns them with the stored stamps. */
export async function upsertEmailStates(tx: Tx, states: readonly EmailState[]): Promise<EmailState[]> {
  const kind = 'email' as const
  const given = states.map(({ hidden, ...each }) => ({ ...each, kind, value: hidden, group_id: ownStateGroup }))
  const rows = await tx.query<{ value: string; stamp_us: string }>(
    sql`${upsert(given)} returning a.value, ${microseconds(sql`a.stamp at time zone interval '0'`)} as stamp_us`,
  )
  const stamps = new Map(rows.map((row) => [row.value, Number(row.stamp_us)]))
  return states.map((each) => ({ ...each, stampUs: stamps.get(each.hidden)! }))
}

function upsert(rows: readonly AddressState[]): Sql {
  return sql`
    insert into address_state as a (bucket, workspace_id, kind, value, group_id, state, stamp)
    select * from unnest(${stateColumns(rows)})
    on conflict (bucket, workspace_id, kind, value, group_id) do update
      set state = excluded.state, stamp = greatest(excluded.stamp, ${microsecondAfter(sql`a.stamp`)})`
}

/** The key under which the states of an address are stored: `value` is the keyed hash, `bucket` is that of the plain address. */
export type HiddenAddress = Located<'email' | 'phone'>

/** Returns the positions of those addresses and groups that have a stored state. */
export async function findStoredStates(
  tx: Tx,
  groupStates: readonly (HiddenAddress & { group_id: number })[],
): Promise<Set<number>> {
  if (groupStates.length === 0) return new Set()
  const rows = await byShardWithItems<{ n: number }, (typeof groupStates)[number]>(tx, groupStates, (part) =>
    prepared(sql`
    select w.n::int as n
    from unnest(${addressColumns(part.items)}, ${int4Array(part.items.map((each) => each.group_id))}::int4[])
      with ordinality w(bucket, workspace_id, kind, value, group_id, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = w.kind and a.value = w.value
      and a.group_id = w.group_id ${withinPart(part, 'a')}`),
  )
  return new Set(rows.map(({ index }) => index))
}

/** Returns those of these groups in which an address has this state. */
export async function listGroupsInState(
  db: Pick<Tx, 'query'>,
  { bucket, workspace_id, kind, value }: HiddenAddress,
  group_ids: readonly number[],
  state: GroupState,
): Promise<number[]> {
  const rows = await db.query<{ group_id: number }>(
    prepared(sql`
    select a.group_id from address_state a
    where a.bucket = ${bucket} and a.workspace_id = ${workspace_id} and a.kind = ${kind} and a.value = ${value}
      and a.group_id = any(${int4Array(group_ids)}::int4[]) and a.state = ${state}
    order by a.group_id`),
  )
  return rows.map(({ group_id }) => group_id)
}

export type AddressState = HiddenAddress & { group_id: number; state: string; stampUs: number }

/** Writes states of addresses, one row per address and group, unless the stored state is later. */
export async function upsertLaterStates(tx: Tx, rows: readonly AddressState[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into address_state as a (bucket, workspace_id, kind, value, group_id, state, stamp)
    select * from unnest(${stateColumns(rows)})
    on conflict (bucket, workspace_id, kind, value, group_id) do update
      set state = excluded.state, stamp = excluded.stamp where a.stamp < excluded.stamp`),
  )
}

/** A new contact of a person whose request did not set an e-mail state. The person inherits the state of the address. */
export type InheritingContact = ContactRow & { hidden: string }

/** Returns the stored states of the addresses of these contacts. Most addresses have none. */
export async function listInheritedStates(tx: Tx, contacts: readonly InheritingContact[]): Promise<InheritedState[]> {
  if (contacts.length === 0) return []
  type Row = { n: number; state: SubscribeState; stamp_us: string }
  const rows = await byShardWithItems<Row, InheritingContact>(tx, contacts, (part) =>
    prepared(sql`
    select w.n::int as n, a.state, ${microseconds(sql`a.stamp`)} as stamp_us
    from unnest(
      ${int4Array(part.items.map((each) => each.bucket))}::int4[], ${int4Array(part.items.map((each) => each.workspace_id))}::int4[],
      ${textArray(part.items.map((each) => each.hidden))}::text[]) with ordinality w(bucket, workspace_id, value, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = 'email' and a.value = w.value
      and a.group_id = 0 ${withinPart(part, 'a')}`),
  )
  return rows.map(({ row: { state, stamp_us }, item: { owner, value } }) => {
    return { person: owner, email: value, state, stampUs: Number(stamp_us) }
  })
}

function stateColumns(rows: readonly AddressState[]): Sql {
  return sql`${addressColumns(rows)}, ${int4Array(rows.map((row) => row.group_id))}::int4[],
      ${textArray(rows.map((row) => row.state))}::text[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[]`
}

function addressColumns(rows: readonly Located[]): Sql {
  return sql`${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.kind))}::text[], ${textArray(rows.map((row) => row.value))}::text[]`
}

function microseconds(moment: Sql): Sql {
  return sql`(extract(epoch from ${moment}) * 1000000)::int8`
}
