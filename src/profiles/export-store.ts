import type { Tx } from '../base/db/db.ts'
import { prepared, sql } from '../base/db/sql.ts'
import type { Person } from './ref.ts'
import { peopleOf } from './store.ts'

/** A profile as it is read for an export: the columns that specification 2.3 shows. */
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
  custom: Record<string, unknown>
  created_at: Date
}

/** Profiles in the order asked. */
export async function listProfiles(tx: Tx, people: readonly Person[]): Promise<ProfileRow[]> {
  return tx.query<ProfileRow>(
    prepared(sql`
    select p.profile_id, p.random_bucket, p.external_id, p.email, p.phone, p.first_name, p.last_name, p.gender, p.dob, p.country,
      p.home_city, p.language, p.time_zone, p.longitude, p.latitude, p.email_subscribe, p.email_opted_in_at,
      p.email_unsubscribed_at, p.push_subscribe, p.push_opted_in_at, p.push_unsubscribed_at, p.total_revenue, p.custom, p.created_at
    from ${peopleOf(people)} with ordinality w(bucket, profile_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by w.n`),
  )
}

export type AliasOf = { profile_id: string; alias_name: string; alias_label: string }

export async function listAliases(tx: Tx, people: readonly Person[]): Promise<AliasOf[]> {
  return tx.query<AliasOf>(
    prepared(sql`
    select a.profile_id, a.alias_name, a.alias_label from ${peopleOf(people)} w(bucket, profile_id)
    join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id order by a.alias_label`),
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
  return tx.query<PushTokenOf>(
    prepared(sql`
    select t.profile_id, t.app_id, t.token, t.device_id, t.notifications_enabled from ${peopleOf(people)} w(bucket, profile_id)
    join push_token t on t.bucket = w.bucket and t.profile_id = w.profile_id order by t.created_at, t.token`),
  )
}
