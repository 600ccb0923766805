import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'

/** Why an address is not written to: what was seen of it, or that somebody said so (`blocklist`). */
export const suppressionReasons = ['hard_bounce', 'spam', 'soft_bounces', 'blocklist'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** An address in its bucket; `value` is its keyed hash. */
type Place = { readonly bucket: number; readonly workspace_id: number; readonly value: string }

export type SuppressionRow = Place & {
  readonly reason: SuppressionReason
  readonly address: string | null
  readonly told: string | null
  readonly stampUs: number
}

/** Keeps what is not there yet, in the order of `rows`; a plain address comes to a row that has lost or never had it. */
export async function insertSuppressions(tx: Tx, rows: readonly SuppressionRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into suppression as s (bucket, workspace_id, kind, value, reason, address, told, at)
    select distinct on (w.bucket, w.workspace_id, w.value, w.reason)
      w.bucket, w.workspace_id, 'email', w.value, w.reason, w.address, w.told, w.at
    from unnest(${placeColumns(rows)}, ${textArray(rows.map((row) => row.reason))}::text[],
      ${textArray(rows.map((row) => row.address))}::text[], ${textArray(rows.map((row) => row.told))}::text[],
      ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
      w(bucket, workspace_id, value, reason, address, told, at)
    order by w.bucket, w.workspace_id, w.value, w.reason, w.at
    on conflict (bucket, workspace_id, kind, value, reason) do update set address = excluded.address
      where s.address is null and excluded.address is not null`),
  )
}

/** Forgets these reasons of these addresses, in the order of `places`. */
export async function deleteSuppressions(
  tx: Tx,
  places: readonly Place[],
  reasons: readonly SuppressionReason[],
): Promise<void> {
  if (places.length === 0) return
  // In the order in which bounces write.
  if (reasons.includes('soft_bounces')) await deleteSoftBounces(tx, places)
  await tx.query(
    prepared(sql`
    delete from suppression s using unnest(${placeColumns(places)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value
      and s.reason = any(${textArray(reasons)}::text[])`),
  )
}

/** Counts a soft bounce of each of these addresses, one row per address; those that have had `countMin` in a row come back. */
export async function countSoftBounces(
  tx: Tx,
  rows: readonly (Place & { readonly stampUs: number; readonly anew: boolean })[],
  countMin: number,
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const counted = await tx.query<{ value: string }>(
    prepared(sql`
    with w as (
      select * from unnest(${placeColumns(rows)}, ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[],
        ${int4Array(rows.map((row) => (row.anew ? 1 : 0)))}::int4[]) w(bucket, workspace_id, value, at, anew)
    ), counted as (
      insert into soft_bounce as s (bucket, workspace_id, kind, value, count, at)
      select w.bucket, w.workspace_id, 'email', w.value, 1, w.at from w
      on conflict (bucket, workspace_id, kind, value) do update set at = excluded.at,
        count = case when exists (select 1 from w where w.bucket = s.bucket and w.workspace_id = s.workspace_id
          and w.value = s.value and w.anew = 1) then 1 else s.count + 1 end
        where s.at < excluded.at
      returning s.bucket, s.value, s.count)
    select c.value from counted c where c.count >= ${countMin}`),
  )
  return new Set(counted.map(({ value }) => value))
}

/** A mail has arrived at these addresses: what bounced before is not in a row with what comes. */
export async function deleteSoftBounces(tx: Tx, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return
  await tx.query(
    prepared(sql`
    delete from soft_bounce s using unnest(${placeColumns(places)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value`),
  )
}

/** Which of these addresses are out for this reason, by their hash. */
export async function findSuppressedAddresses(
  tx: Tx,
  places: readonly Place[],
  reason: SuppressionReason,
): Promise<Set<string>> {
  if (places.length === 0) return new Set()
  const rows = await tx.query<{ value: string }>(
    prepared(sql`
    select s.value from unnest(${placeColumns(places)}) w(bucket, workspace_id, value)
    join suppression s on s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value
      and s.reason = ${reason}`),
  )
  return new Set(rows.map(({ value }) => value))
}

/** Why an address is not written to; nothing when it is. */
export async function listSuppressionReasons(
  tx: Tx,
  { bucket, workspace_id, value }: Place,
): Promise<SuppressionReason[]> {
  const rows = await tx.query<{ reason: SuppressionReason }>(sql`
    select reason from suppression
    where bucket = ${bucket} and workspace_id = ${workspace_id} and kind = 'email' and value = ${value} order by reason`)
  return rows.map(({ reason }) => reason)
}

/** An address of somebody who is about to be deleted. */
export type PersonAddress = { readonly workspace_id: number; readonly address: string }

/** The addresses these people have or have been written to at and nobody but them has. */
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

/** Leaves nothing of addresses but their hash. */
export async function hideAddresses(tx: Tx, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return
  await tx.query(
    prepared(sql`
    update suppression s set address = null, told = null from unnest(${placeColumns(places)}) w(bucket, workspace_id, value)
    where s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value`),
  )
}

export type BouncedRow = { readonly email: string; readonly hard_bounced_at: Date }

/** What counts as bounced for good in the interface: what did, and what somebody said did. */
const bouncedReasons = sql`('hard_bounce', 'blocklist')`

/** Addresses that bounced for good from `sinceUs` on and before `untilUs` (epoch microseconds), each once, the newest first. */
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

/** When one address bounced for good, whenever it was; the address itself may have been forgotten. */
export async function findHardBounced(tx: Tx, place: Place): Promise<Date | undefined> {
  const [row] = await tx.query<{ at: Date | null }>(
    prepared(sql`
    select max(s.at) as at from suppression s
    where s.bucket = ${place.bucket} and s.workspace_id = ${place.workspace_id} and s.kind = 'email'
      and s.value = ${place.value} and s.reason in ${bouncedReasons}`),
  )
  return row?.at ?? undefined
}

function placeColumns(places: readonly Place[]): Sql {
  return sql`${int4Array(places.map((place) => place.bucket))}::int4[],
      ${int4Array(places.map((place) => place.workspace_id))}::int4[], ${textArray(places.map((place) => place.value))}::text[]`
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
  readonly place: Place | undefined
  readonly reason: SuppressionReason | undefined
}

/** Where a page of suppressions ends. */
export type SuppressionCursor = { readonly atUs: string; readonly value: string; readonly reason: string }

/** Suppressions of a workspace, newest first; those after a place. */
export async function listSuppressions(
  tx: Tx,
  { workspace_id, place, reason }: SuppressionFilter,
  after: SuppressionCursor | undefined,
  limit: number,
): Promise<SuppressionEntry[]> {
  const ofPlace = place ? sql`and s.bucket = ${place.bucket} and s.kind = 'email' and s.value = ${place.value}` : sql``
  const ofReason = reason ? sql`and s.reason = ${reason}` : sql``
  const beyond = after
    ? sql`and (s.at, s.value, s.reason) < (${timestampFromUs(Number(after.atUs))}, ${after.value}, ${after.reason})`
    : sql``
  return tx.query(
    prepared(sql`
    select s.address, s.reason, s.told, s.at, (extract(epoch from s.at) * 1000000)::int8::text as at_us, s.value
    from suppression s where s.workspace_id = ${workspace_id} ${ofPlace} ${ofReason} ${beyond}
    order by s.at desc, s.value desc, s.reason desc limit ${limit}`),
  )
}
