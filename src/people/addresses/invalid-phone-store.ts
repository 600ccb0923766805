import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import type { invalidPhoneReasons } from './schema.ts'
import type { HashedAddress, PersonAddress } from './suppression-store.ts'

export type InvalidPhoneReason = (typeof invalidPhoneReasons)[number]

export type InvalidPhoneRow = HashedAddress & {
  readonly phone: string | null
  readonly reason: InvalidPhoneReason
  readonly told: string
  readonly stampUs: number
}

/** Inserts phones that are invalid, in the order of `rows`. One that is there keeps its time, and gets the plain number if it has none. */
export async function insertInvalidPhones(tx: Tx, rows: readonly InvalidPhoneRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into invalid_phone as i (bucket, workspace_id, value, phone, reason, told, at)
    select distinct on (w.bucket, w.workspace_id, w.value) w.* from unnest(${hashColumns(rows)},
      ${textArray(rows.map((row) => row.phone))}::text[], ${textArray(rows.map((row) => row.reason))}::text[],
      ${textArray(rows.map((row) => row.told))}::text[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[])
      w(bucket, workspace_id, value, phone, reason, told, at)
    order by w.bucket, w.workspace_id, w.value
    on conflict (bucket, workspace_id, value) do update set phone = excluded.phone
      where i.phone is null and excluded.phone is not null`),
  )
}

/** Deletes these phones from the invalid ones, in the order of `phones`. */
export async function deleteInvalidPhones(tx: Tx, phones: readonly HashedAddress[]): Promise<void> {
  if (phones.length === 0) return
  await byShard<unknown, HashedAddress>(tx, phones, (part) =>
    prepared(sql`
    delete from invalid_phone i using unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    where i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.value = w.value ${withinPart(part, 'i')}`),
  )
}

export type ListedPhone = { readonly phone: string; readonly reason: InvalidPhoneReason; readonly at: Date }

/** What is listed: `sinceUs` is included, `untilUs` is not (epoch microseconds). `phones` are plain numbers with their keys. */
export type InvalidPhoneFilter = {
  readonly workspace_id: number
  readonly range?: { readonly sinceUs: number; readonly untilUs: number } | undefined
  readonly phones?: readonly (HashedAddress & { readonly phone: string })[] | undefined
  readonly reason?: InvalidPhoneReason | undefined
}

/** Returns invalid phones, the newest first. A phone that is named is found although its plain number was removed. */
export async function listInvalidPhoneRows(
  tx: Tx,
  { workspace_id, range, phones, reason }: InvalidPhoneFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ListedPhone[]> {
  const ofReason = reason ? sql`and i.reason = ${reason}` : sql``
  const inRange = range
    ? sql`and i.at >= ${timestampFromUs(range.sinceUs)} and i.at < ${timestampFromUs(range.untilUs)}`
    : sql``
  const from = phones
    ? sql`unnest(${hashColumns(phones)}, ${textArray(phones.map(({ phone }) => phone))}::text[]) w(bucket, workspace_id, value, phone)
      join invalid_phone i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.value = w.value`
    : sql`invalid_phone i`
  const phone = phones ? sql`w.phone` : sql`i.phone`
  return tx.query(
    prepared(sql`
    select ${phone} as phone, i.reason, i.at from ${from}
    where i.workspace_id = ${workspace_id} and ${phone} is not null ${ofReason} ${inRange}
    order by i.at desc, phone limit ${limit} offset ${offset}`),
  )
}

/** Returns the phone numbers that these people have, and those to which texts to them were sent. */
export async function listPhonesOf(tx: Tx, people: readonly Person[]): Promise<PersonAddress[]> {
  if (people.length === 0) return []
  const ids = int8Array(people.map(({ key }) => key))
  const buckets = int4Array(people.map(({ bucket }) => bucket))
  return tx.query(
    prepared(sql`
    with w as (select * from unnest(${buckets}::int4[], ${ids}::int8[]) w(bucket, profile_id))
    select p.workspace_id, p.phone as address from w join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.phone is not null
    union
    select m.workspace_id, m.address from w join message m on m.bucket = w.bucket and m.profile_id = w.profile_id
    where m.channel = 'sms' and m.address is not null`),
  )
}

/** Deletes the plain text of invalid phones; only their hash remains. */
export async function hidePhones(tx: Tx, phones: readonly HashedAddress[]): Promise<void> {
  if (phones.length === 0) return
  await byShard<unknown, HashedAddress>(tx, phones, (part) =>
    prepared(sql`
    update invalid_phone i set phone = null, told = null from unnest(${hashColumns(part.items)}) w(bucket, workspace_id, value)
    where i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.value = w.value ${withinPart(part, 'i')}`),
  )
}

function hashColumns(phones: readonly HashedAddress[]): Sql {
  return sql`${int4Array(phones.map(({ bucket }) => bucket))}::int4[],
      ${int4Array(phones.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(phones.map(({ value }) => value))}::text[]`
}
