import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { moment } from '../../base/db/moment.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import { countMax } from '../merge/merge.ts'

/** Whether a person has an alias with this one's label. */
export async function hasLabel(tx: Tx, { bucket, profile_id }: Person, alias: Identifier): Promise<boolean> {
  const found = await tx.query(sql`
    select 1 from profile_alias
    where bucket = ${bucket} and profile_id = ${profile_id} and alias_label = ${aliasParts(alias.value).alias_label}`)
  return found.length > 0
}

/** The person is called so from now on, also in the profile's own row, which is locked. */
export async function updateName(
  tx: Tx,
  { bucket, profile_id }: Person,
  column: 'external_id' | 'email' | 'phone',
  value: string,
): Promise<void> {
  await tx.query(
    prepared(sql`update profile set ${raw(column)} = ${value} where bucket = ${bucket} and profile_id = ${profile_id}`),
  )
}

/** What a call changes in the profile's own row; null leaves a column as it is. Moments are epoch microseconds. */
export type ProfileChange = {
  person: Person
  /** Sessions that were not counted before. */
  sessions: number
  firstSessionUs: number | null
  lastSessionUs: number | null
  attribution: { campaign: string | null; source: string | null; adgroup: string | null; ad: string | null } | null
  stampUs: number
}

/** The row is locked. */
export async function updateProfile(tx: Tx, change: ProfileChange): Promise<void> {
  const { person, sessions, firstSessionUs, lastSessionUs, attribution, stampUs } = change
  const attributed = attribution
    ? sql`attributed_campaign = ${attribution.campaign}, attributed_source = ${attribution.source},
      attributed_adgroup = ${attribution.adgroup}, attributed_ad = ${attribution.ad},`
    : sql``
  await tx.query(
    prepared(sql`
    update profile p set
      session_count = least(p.session_count + ${sessions}::int8, ${countMax})::int4,
      date_of_first_session = least(p.date_of_first_session, ${moment(firstSessionUs)}),
      date_of_last_session = greatest(p.date_of_last_session, ${moment(lastSessionUs)}),
      ${attributed}
      updated_at = greatest(p.updated_at, ${moment(stampUs)})
    where p.bucket = ${person.bucket} and p.profile_id = ${person.profile_id}`),
  )
}

/** What a call tells of an app. */
export type ToldUse = {
  app_id: string
  version: string | null
  sessions: number
  firstUsedUs: number | null
  lastUsedUs: number | null
  uninstalledUs: number | null
}

/**
 * Adds to a person's use of an app. The version is that of the latest use; an app that was used after it had been uninstalled is
 * there again. The person is locked.
 */
export async function addAppUse(tx: Tx, { bucket, profile_id }: Person, use: ToldUse): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into app_use as u (bucket, profile_id, app_id, version, sessions, first_used, last_used, uninstalled_at)
    values (${bucket}, ${profile_id}, ${use.app_id}, ${use.version}, ${use.sessions},
      ${moment(use.firstUsedUs)}, ${moment(use.lastUsedUs)}, ${moment(use.uninstalledUs)})
    on conflict (bucket, profile_id, app_id) do update set
      version = case when excluded.last_used < u.last_used then u.version else coalesce(excluded.version, u.version) end,
      sessions = least(u.sessions + excluded.sessions::int8, ${countMax})::int4,
      first_used = least(u.first_used, excluded.first_used),
      last_used = greatest(u.last_used, excluded.last_used),
      uninstalled_at = case
        when greatest(u.last_used, excluded.last_used) > greatest(u.uninstalled_at, excluded.uninstalled_at) then null
        else greatest(u.uninstalled_at, excluded.uninstalled_at) end`),
  )
}

/** Remembers when each card was clicked last (epoch microseconds). */
export async function upsertCardClicks(tx: Tx, person: Person, cards: ReadonlyMap<string, number>): Promise<void> {
  if (cards.size === 0) return
  await tx.query(sql`
    insert into card_click as c (bucket, profile_id, card, at)
    select * from unnest(
      ${int4Array([...cards].map(() => person.bucket))}::int4[], ${int8Array([...cards].map(() => person.key))}::int8[],
      ${textArray([...cards.keys()])}::text[], ${timestampArray([...cards.values()])}::timestamptz[])
    on conflict (bucket, profile_id, card) do update set at = greatest(c.at, excluded.at)`)
}
