import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { DeviceMembers } from './device.ts'

/** The columns of a profile that an export shows (specification 2.3). */
export type ProfileRow = {
  profile_id: string
  random_bucket: number
  external_id: string | null
  email: string | null
  phone: string | null
  first_name: string | null
  last_name: string | null
  gender: string | null
  dob: string | null
  country: string | null
  home_city: string | null
  language: string | null
  time_zone: string | null
  longitude: number | null
  latitude: number | null
  email_subscribe: string
  email_opted_in_at: Date | null
  email_unsubscribed_at: Date | null
  push_subscribe: string
  push_opted_in_at: Date | null
  push_unsubscribed_at: Date | null
  total_revenue: number
  attributed_campaign: string | null
  attributed_source: string | null
  attributed_adgroup: string | null
  attributed_ad: string | null
  custom: Record<string, unknown>
  created_at: Date
}

const profileColumns =
  raw(`p.profile_id, p.random_bucket, p.external_id, p.email, p.phone, p.first_name, p.last_name, p.gender,
      p.dob, p.country, p.home_city, p.language, p.time_zone, p.longitude, p.latitude, p.email_subscribe, p.email_opted_in_at,
      p.email_unsubscribed_at, p.push_subscribe, p.push_opted_in_at, p.push_unsubscribed_at, p.total_revenue,
      p.attributed_campaign, p.attributed_source, p.attributed_adgroup, p.attributed_ad, p.custom, p.created_at`)

/** A profile with its position in the list, from 1, and the weight of the attributes of all up to it. */
export type PagedProfile = ProfileRow & { n: number; weight: number }

/**
 * Returns the first profiles of `people`, in their order: at least one, and more until their attributes weigh `weightMax`. The weight is
 * their stored size in bytes, where compressed bytes count 16 times.
 */
export function listProfilePage(tx: Tx, people: readonly Person[], weightMax: number): Promise<PagedProfile[]> {
  return tx.placement === undefined ? queryPage(tx, people, weightMax) : weighPage(tx, people, weightMax)
}

const weightOfCustom = raw(
  'pg_column_size(p.custom)\n        * case when pg_column_compression(p.custom) is null then 1 else 16 end',
)

function queryPage(tx: Tx, people: readonly Person[], weightMax: number): Promise<PagedProfile[]> {
  return tx.query<PagedProfile>(
    prepared(sql`
    select p.* from (
      select ${profileColumns}, w.n::int as n, row_number() over (order by w.n) as place,
        sum(${weightOfCustom}) over (order by w.n)::float8 as weight
      from ${personRows(people)} with ordinality w(bucket, profile_id, n)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      where p.merged_into is null) p
    where p.weight <= ${weightMax}::float8 or p.place = 1 order by p.n`),
  )
}

/** Does the same in two steps, because no shard knows the weight of people of the others. */
async function weighPage(tx: Tx, people: readonly Person[], weightMax: number): Promise<PagedProfile[]> {
  const weighed = await byShardWithItems<{ n: number; weight: number }, Person>(tx, people, (part) =>
    prepared(sql`
    select w.n::int as n, (${weightOfCustom})::float8 as weight
    from ${personRows(part.items)} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')}`),
  )
  const page = new Map<string, { person: Person; n: number; weight: number }>()
  let weight = 0
  for (const { row, item, index } of weighed.sort((a, b) => a.index - b.index)) {
    weight += row.weight
    if (page.size > 0 && weight > weightMax) break
    page.set(item.profile_id, { person: item, n: index + 1, weight })
  }
  const rows = await listProfiles(
    tx,
    [...page.values()].map(({ person }) => person),
  )
  return rows.map((row) => ({ ...row, n: page.get(row.profile_id)!.n, weight: page.get(row.profile_id)!.weight }))
}

/** Returns profiles in the order of `people`. */
export async function listProfiles(tx: Tx, people: readonly Person[]): Promise<ProfileRow[]> {
  const rows = await byShard<ProfileRow, Person>(tx, people, (part) =>
    prepared(sql`
    select ${profileColumns}
    from ${personRows(part.items)} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by w.n`),
  )
  if (tx.placement === undefined) return rows
  const places = new Map(people.map(({ profile_id }, i) => [profile_id, i]))
  return rows.sort((a, b) => places.get(a.profile_id)! - places.get(b.profile_id)!)
}

export type AliasOf = { profile_id: string; alias_name: string; alias_label: string }

export async function listAliases(tx: Tx, people: readonly Person[]): Promise<AliasOf[]> {
  return byShard<AliasOf, Person>(tx, people, (part) =>
    prepared(sql`
    select a.profile_id, a.alias_name, a.alias_label from ${personRows(part.items)} w(bucket, profile_id)
    join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id ${withinPart(part, 'a')}
    order by a.alias_label`),
  )
}

export type PushTokenOf = {
  profile_id: string
  app_id: string
  token: string
  device_id: string
  notifications_enabled: boolean
}

export async function listPushTokens(tx: Tx, people: readonly Person[]): Promise<PushTokenOf[]> {
  return byShard<PushTokenOf, Person>(tx, people, (part) =>
    prepared(sql`
    select t.profile_id, t.app_id, t.token, t.device_id, t.notifications_enabled from ${personRows(part.items)} w(bucket, profile_id)
    join push_token t on t.bucket = w.bucket and t.profile_id = w.profile_id ${withinPart(part, 't')}
    order by t.created_at, t.token, t.app_id`),
  )
}

export type AppUseOf = {
  profile_id: string
  app_id: string
  version: string | null
  sessions: number
  first_used: Date | null
  last_used: Date | null
  uninstalled_at: Date | null
}

/** Returns the use of apps, by first use. */
export async function listAppUse(tx: Tx, people: readonly Person[]): Promise<AppUseOf[]> {
  return byShard<AppUseOf, Person>(tx, people, (part) =>
    prepared(sql`
    select u.profile_id, u.app_id, u.version, u.sessions, u.first_used, u.last_used, u.uninstalled_at
    from ${personRows(part.items)} w(bucket, profile_id)
    join app_use u on u.bucket = w.bucket and u.profile_id = w.profile_id ${withinPart(part, 'u')}
    order by u.first_used, u.app_id`),
  )
}

export type DeviceOf = DeviceMembers & { profile_id: string; device_id: string }

export async function listDevices(tx: Tx, people: readonly Person[]): Promise<DeviceOf[]> {
  return byShard<DeviceOf, Person>(tx, people, (part) =>
    prepared(sql`
    select d.profile_id, d.device_id, d.model, d.os, d.carrier, d.idfv, d.idfa, d.google_ad_id, d.roku_ad_id,
      d.ad_tracking_enabled
    from ${personRows(part.items)} w(bucket, profile_id)
    join device d on d.bucket = w.bucket and d.profile_id = w.profile_id ${withinPart(part, 'd')} order by d.created_at, d.device_id`),
  )
}

export type CardClickOf = { profile_id: string; card: string }

/** Returns the clicked cards, by last click. */
export async function listCardClicks(tx: Tx, people: readonly Person[]): Promise<CardClickOf[]> {
  return byShard<CardClickOf, Person>(tx, people, (part) =>
    prepared(sql`
    select c.profile_id, c.card from ${personRows(part.items)} w(bucket, profile_id)
    join card_click c on c.bucket = w.bucket and c.profile_id = w.profile_id ${withinPart(part, 'c')} order by c.at, c.card`),
  )
}
