import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import { countMax } from './fold.ts'

export type ExternalIdRow = { readonly profile_id: string; readonly external_id: string | null }

/** Locks people who are neither merged nor deleted, in lock order. */
export async function lockExternalIds(tx: Tx, people: readonly Person[]): Promise<ExternalIdRow[]> {
  return byShard<ExternalIdRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.external_id from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for update of p`),
  )
}

/** A new external_id of a person; null removes it. The row is locked. */
export type ExternalIdUpdate = { person: Person; external_id: string | null; stampUs: number }

export async function updateExternalIds(tx: Tx, rows: readonly ExternalIdUpdate[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, ExternalIdUpdate>(tx, rows, (part) =>
    prepared(sql`
    update profile p set external_id = v.external_id, updated_at = greatest(p.updated_at, v.stamp)
    from unnest(
      ${int4Array(part.items.map((row) => row.person.bucket))}::int4[], ${int8Array(part.items.map((row) => row.person.key))}::int8[],
      ${textArray(part.items.map((row) => row.external_id))}::text[],
      ${timestampArray(part.items.map((row) => row.stampUs))}::timestamptz[]) v(bucket, profile_id, external_id, stamp)
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}

/** Writes an identifier into the row of the profile, which is locked. */
export async function updateIdentifierColumn(
  tx: Tx,
  { bucket, profile_id }: Person,
  column: 'external_id' | 'email' | 'phone',
  value: string,
): Promise<void> {
  await tx.query(
    prepared(sql`update profile set ${raw(column)} = ${value} where bucket = ${bucket} and profile_id = ${profile_id}`),
  )
}

/** Usage that an SDK reports. Null does not change a column. Moments are epoch microseconds. */
export type UsageChange = {
  person: Person
  /** Sessions that were not counted before. */
  sessions: number
  firstSessionUs: number | null
  lastSessionUs: number | null
  attribution: { campaign: string | null; source: string | null; adgroup: string | null; ad: string | null } | null
  stampUs: number
}

/** Adds usage to the row of the profile, which is locked. */
export async function updateUsage(tx: Tx, change: UsageChange): Promise<void> {
  const { person, sessions, firstSessionUs, lastSessionUs, attribution, stampUs } = change
  const attributed = attribution
    ? sql`attributed_campaign = ${attribution.campaign}, attributed_source = ${attribution.source},
      attributed_adgroup = ${attribution.adgroup}, attributed_ad = ${attribution.ad},`
    : sql``
  await tx.query(
    prepared(sql`
    update profile p set
      session_count = least(p.session_count + ${sessions}::int8, ${countMax})::int4,
      date_of_first_session = least(p.date_of_first_session, ${timestampFromUs(firstSessionUs)}),
      date_of_last_session = greatest(p.date_of_last_session, ${timestampFromUs(lastSessionUs)}),
      ${attributed}
      updated_at = greatest(p.updated_at, ${timestampFromUs(stampUs)})
    where p.bucket = ${person.bucket} and p.profile_id = ${person.profile_id}`),
  )
}

/** Adds to the revenue of people, each person once, in lock order. */
export async function addRevenue(tx: Tx, rows: readonly { person: Person; amount: number }[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, (typeof rows)[number]>(tx, rows, (part) =>
    prepared(sql`
    update profile p set total_revenue = p.total_revenue + v.amount::float8
    from unnest(${int4Array(part.items.map((row) => row.person.bucket))}::int4[],
      ${int8Array(part.items.map((row) => row.person.key))}::int8[],
      ${textArray(part.items.map((row) => String(row.amount)))}::text[]) v(bucket, profile_id, amount)
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}

/** Sets the stamp of people for a change that is not in their profiles. */
export async function updateStamps(tx: Tx, people: readonly Person[], stampUs: number): Promise<void> {
  if (people.length === 0) return
  await byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    update profile p set updated_at = greatest(p.updated_at, ${timestampFromUs(stampUs)})
    from ${personRows(part.items)} v(bucket, profile_id)
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}
