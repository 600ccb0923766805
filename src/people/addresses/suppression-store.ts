import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'

/** Why an address is suppressed: because of an event, or on request (`blocklist`). */
export const suppressionReasons = ['hard_bounce', 'spam', 'soft_bounces', 'blocklist'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** An address as its states and suppressions are stored: `value` is the keyed hash, `bucket` that of the plain address. */
export type HashedAddress = { readonly bucket: number; readonly workspace_id: number; readonly value: string }

export type SuppressionRow = HashedAddress & {
  readonly reason: SuppressionReason
  readonly address: string | null
  readonly told: string | null
  readonly stampUs: number
}

/** Inserts new suppressions, in the order of `rows`. A stored row without the plain address gets it. */
export async function insertSuppressions(tx: Tx, rows: readonly SuppressionRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into suppression as s (bucket, workspace_id, kind, value, reason, address, told, at)
    select distinct on (w.bucket, w.workspace_id, w.value, w.reason)
      w.bucket, w.workspace_id, 'email', w.value, w.reason, w.address, w.told, w.at
    from unnest(${hashColumns(rows)}, ${textArray(rows.map((row) => row.reason))}::text[],
      ${textArray(rows.map((row) => row.address))}::text[], ${textArray(rows.map((row) => row.told))}::text[],
      ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
      w(bucket, workspace_id, value, reason, address, told, at)
    order by w.bucket, w.workspace_id, w.value, w.reason, w.at
    on conflict (bucket, workspace_id, kind, value, reason) do update set address = excluded.address
      where s.address is null and excluded.address is not null`),
  )
}

/** Deletes suppressions of these addresses for these reasons, in the order of `addresses`. */
export async function deleteSuppressions(
  tx: Tx,
  addresses: readonly HashedAddress[],
  reasons: readonly SuppressionReason[],
): Promise<void> {
  if (addresses.length === 0) return
  // The tables are written in the same order as for bounces, against deadlocks.
  if (reasons.includes('soft_bounces')) await deleteSoftBounces(tx, addresses)
  await byShard<unknown, HashedAddress>(tx, addresses, (part) =>
    prepared(sql`
    delete from suppression s using unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value
      and s.reason = any(${textArray(reasons)}::text[]) ${withinPart(part, 's')}`),
  )
}

/** Counts a soft bounce of each address, one row per address. Returns the hashes of those with at least `countMin` in a row. */
export async function countSoftBounces(
  tx: Tx,
  rows: readonly (HashedAddress & { readonly stampUs: number; readonly restarts: boolean })[],
  countMin: number,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const counted = await tx.query<{ value: string }>(
    prepared(sql`
    with w as (
      select * from unnest(${hashColumns(rows)}, ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[],
        ${int4Array(rows.map((row) => (row.restarts ? 1 : 0)))}::int4[]) w(bucket, workspace_id, value, at, restarts)
    ), counted as (
      insert into soft_bounce as s (bucket, workspace_id, kind, value, count, at)
      select w.bucket, w.workspace_id, 'email', w.value, 1, w.at from w
      on conflict (bucket, workspace_id, kind, value) do update set at = excluded.at,
        count = case when exists (select 1 from w where w.bucket = s.bucket and w.workspace_id = s.workspace_id
          and w.value = s.value and w.restarts = 1) then 1 else s.count + 1 end
        where s.at < excluded.at
      returning s.bucket, s.value, s.count)
    select c.value from counted c where c.count >= ${countMin}`),
  )
  return new Set(counted.map(({ value }) => value))
}

/** Resets the soft bounces of addresses to which a mail was delivered. */
export async function deleteSoftBounces(tx: Tx, addresses: readonly HashedAddress[]): Promise<void> {
  if (addresses.length === 0) return
  await byShard<unknown, HashedAddress>(tx, addresses, (part) =>
    prepared(sql`
    delete from soft_bounce s using unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value ${withinPart(part, 's')}`),
  )
}

/** Returns the hashes of those addresses that are suppressed for this reason. */
export async function findSuppressedAddresses(
  tx: Tx,
  addresses: readonly HashedAddress[],
  reason: SuppressionReason,
): Promise<Set<string>> {
  if (addresses.length === 0) return new Set()
  const rows = await byShard<{ value: string }, HashedAddress>(tx, addresses, (part) =>
    prepared(sql`
    select s.value from unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    join suppression s on s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value
      and s.reason = ${reason} ${withinPart(part, 's')}`),
  )
  return new Set(rows.map(({ value }) => value))
}

/** Returns the reasons for which an address is suppressed. */
export async function listSuppressionReasons(
  tx: Tx,
  { bucket, workspace_id, value }: HashedAddress,
): Promise<SuppressionReason[]> {
  const rows = await tx.query<{ reason: SuppressionReason }>(sql`
    select reason from suppression
    where bucket = ${bucket} and workspace_id = ${workspace_id} and kind = 'email' and value = ${value} order by reason`)
  return rows.map(({ reason }) => reason)
}

/** A plain address of a person. */
export type PersonAddress = { readonly workspace_id: number; readonly address: string }

/** Returns the e-mail addresses that these people have, and those to which messages to them were sent. */
export async function listAddressesOf(tx: Tx, people: readonly Person[]): Promise<PersonAddress[]> {
  if (people.length === 0) return []
  const ids = int8Array(people.map(({ key }) => key))
  const buckets = int4Array(people.map(({ bucket }) => bucket))
  return tx.query(
    prepared(sql`
    with w as (select * from unnest(${buckets}::int4[], ${ids}::int8[]) w(bucket, profile_id))
    select p.workspace_id, p.email as address from w join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.email is not null
    union
    select m.workspace_id, m.address from w join message m on m.bucket = w.bucket and m.profile_id = w.profile_id
    where m.channel = 'email' and m.address is not null`),
  )
}

/** Deletes the plain text of addresses; only their hash remains. */
export async function hideAddresses(tx: Tx, addresses: readonly HashedAddress[]): Promise<void> {
  if (addresses.length === 0) return
  await byShard<unknown, HashedAddress>(tx, addresses, (part) =>
    prepared(sql`
    update suppression s set address = null, told = null from unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value ${withinPart(part, 's')}`),
  )
}

export type BouncedRow = { readonly email: string; readonly hard_bounced_at: Date }

/** The reasons that the interface counts as hard bounces. */
const bouncedReasons = sql`('hard_bounce', 'blocklist')`

/** Returns addresses with a hard bounce from `sinceUs` until before `untilUs` (epoch microseconds), each once, the newest first. */
export async function listHardBounced(
  tx: Tx,
  workspace_id: number,
  { sinceUs, untilUs }: { readonly sinceUs: number; readonly untilUs: number },
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<BouncedRow[]> {
  return tx.query(
    prepared(sql`
    select s.address as email, max(s.at) as hard_bounced_at from suppression s
    where s.workspace_id = ${workspace_id} and s.reason in ${bouncedReasons} and s.address is not null
      and s.at >= ${timestampFromUs(sinceUs)} and s.at < ${timestampFromUs(untilUs)}
    group by s.address order by hard_bounced_at desc, s.address limit ${limit} offset ${offset}`),
  )
}

/** Returns the latest hard bounce of one address, whose plain text may have been deleted. */
export async function findHardBounced(tx: Tx, address: HashedAddress): Promise<Date | undefined> {
  const [row] = await tx.query<{ at: Date | null }>(
    prepared(sql`
    select max(s.at) as at from suppression s
    where s.bucket = ${address.bucket} and s.workspace_id = ${address.workspace_id} and s.kind = 'email'
      and s.value = ${address.value} and s.reason in ${bouncedReasons}`),
  )
  return row?.at ?? undefined
}

function hashColumns(addresses: readonly HashedAddress[]): Sql {
  return sql`${int4Array(addresses.map(({ bucket }) => bucket))}::int4[],
      ${int4Array(addresses.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(addresses.map(({ value }) => value))}::text[]`
}

export type SuppressionEntry = {
  readonly address: string | null
  readonly reason: SuppressionReason
  readonly told: string | null
  readonly at: Date
  readonly at_us: string
  readonly value: string
}

export type SuppressionFilter = {
  readonly workspace_id: number
  readonly address: HashedAddress | undefined
  readonly reason: SuppressionReason | undefined
}

/** The end of a page of suppressions. */
export type SuppressionCursor = { readonly atUs: string; readonly value: string; readonly reason: string }

/** Returns suppressions of a workspace, newest first, after a cursor. */
export async function listSuppressions(
  tx: Tx,
  { workspace_id, address, reason }: SuppressionFilter,
  after: SuppressionCursor | undefined,
  limit: number,
): Promise<SuppressionEntry[]> {
  const ofAddress = address
    ? sql`and s.bucket = ${address.bucket} and s.kind = 'email' and s.value = ${address.value}`
    : sql``
  const ofReason = reason ? sql`and s.reason = ${reason}` : sql``
  const beyond = after
    ? sql`and (s.at, s.value, s.reason) < (${timestampFromUs(Number(after.atUs))}, ${after.value}, ${after.reason})`
    : sql``
  return tx.query(
    prepared(sql`
    select s.address, s.reason, s.told, s.at, (extract(epoch from s.at) * 1000000)::int8::text as at_us, s.value
    from suppression s where s.workspace_id = ${workspace_id} ${ofAddress} ${ofReason} ${beyond}
    order by s.at desc, s.value desc, s.reason desc limit ${limit}`),
  )
}
