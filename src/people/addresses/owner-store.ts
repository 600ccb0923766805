import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { distinct } from '../identity/owner-profile-store.ts'
import { byBucketAndId, type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { EmailState } from '../subscription/address-state-store.ts'

/**
 * A person who has an address. `n` is the position of the address, from 1; `stateUs` is the stamp of the person's own state in epoch
 * microseconds.
 */
export type AddressOwner = { n: number; person: Person; stateUs: number | undefined }

/**
 * Returns the next owners of the addresses, at most `limit`, in the order of addresses and people. `after` is the last person that the page
 * before returned for the first address.
 */
export async function listAddressOwners(
  tx: Tx,
  states: readonly EmailState[],
  after: Person | undefined,
  limit: number,
): Promise<AddressOwner[]> {
  if (tx.placement !== undefined) return lookAddressOwnersUp(tx, states, after, limit)
  const [bucket, id] = after ? [after.bucket, after.key] : [-1, 0n]
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string; state_us: string | null }>(
    prepared(sql`
    select o.n::int as n, o.owner_bucket, o.owner_id, ${microseconds(sql`p.email_subscribe_at`)} as state_us
    from (
      select w.n, c.owner_bucket, c.owner_id
      from unnest(
        ${int4Array(states.map((each) => each.bucket))}::int4[], ${int4Array(states.map((each) => each.workspace_id))}::int4[],
        ${textArray(states.map((each) => each.email))}::text[], ${int4Array(states.map((_, i) => (i === 0 ? bucket : -1)))}::int4[],
        ${int8Array(states.map((_, i) => (i === 0 ? id : 0n)))}::int8[]
      ) with ordinality w(bucket, workspace_id, email, after_bucket, after_id, n)
      cross join lateral (
        select c.owner_bucket, c.owner_id from contact c
        where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = 'email' and c.value = w.email
          and (c.owner_bucket, c.owner_id) > (w.after_bucket, w.after_id)
        order by c.owner_bucket, c.owner_id limit ${limit}) c
      order by w.n, c.owner_bucket, c.owner_id limit ${limit}) o
    left join profile p on p.bucket = o.owner_bucket and p.profile_id = o.owner_id
    order by o.n, o.owner_bucket, o.owner_id`),
  )
  return rows.map(({ n, owner_bucket, owner_id, state_us }) => ({
    n,
    person: person(owner_bucket, owner_id),
    stateUs: state_us === null ? undefined : Number(state_us),
  }))
}

/** Does the same in two steps, because the people may be on other shards than the address. */
async function lookAddressOwnersUp(
  tx: Tx,
  states: readonly EmailState[],
  after: Person | undefined,
  limit: number,
): Promise<AddressOwner[]> {
  const wanted = states.map((state, i) => {
    const { bucket, key } = i === 0 && after ? after : { bucket: -1, key: 0n }
    return { ...state, after_bucket: bucket, after_key: key }
  })
  const found = await byShardWithItems<{ n: number; owner_bucket: number; owner_id: string }, (typeof wanted)[number]>(
    tx,
    wanted,
    (part) =>
      prepared(sql`
      select w.n::int as n, c.owner_bucket, c.owner_id
      from unnest(
        ${int4Array(part.items.map((each) => each.bucket))}::int4[], ${int4Array(part.items.map((each) => each.workspace_id))}::int4[],
        ${textArray(part.items.map((each) => each.email))}::text[], ${int4Array(part.items.map((each) => each.after_bucket))}::int4[],
        ${int8Array(part.items.map((each) => each.after_key))}::int8[]
      ) with ordinality w(bucket, workspace_id, email, after_bucket, after_id, n)
      cross join lateral (
        select c.owner_bucket, c.owner_id from contact c
        where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = 'email' and c.value = w.email
          and (c.owner_bucket, c.owner_id) > (w.after_bucket, w.after_id) ${withinPart(part, 'c')}
        order by c.owner_bucket, c.owner_id limit ${limit}) c
      order by w.n, c.owner_bucket, c.owner_id limit ${limit}`),
  )
  const owners = found
    .map(({ row, index }) => ({ n: index + 1, person: person(row.owner_bucket, row.owner_id) }))
    .sort((one, other) => one.n - other.n || byBucketAndId(one, other))
    .slice(0, limit)
  const stamps = await byShard<{ profile_id: string; state_us: string | null }, Person>(
    tx,
    distinct(owners.map((each) => each.person)),
    (part) =>
      prepared(sql`
      select p.profile_id, ${microseconds(sql`p.email_subscribe_at`)} as state_us from ${personRows(part.items)} w(bucket, profile_id)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
  const stampOf = new Map(stamps.map(({ profile_id, state_us }) => [profile_id, state_us]))
  return owners.map((each) => {
    const us = stampOf.get(each.person.profile_id) ?? null
    return { ...each, stateUs: us === null ? undefined : Number(us) }
  })
}

function microseconds(moment: Sql): Sql {
  return sql`(extract(epoch from ${moment}) * 1000000)::int8`
}
