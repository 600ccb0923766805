import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import { countMax } from './fold.ts'
import { toMoment } from './state-store.ts'

/** How a person used one app, named like the columns. Moments are epoch microseconds. */
export type AppUseState = {
  readonly app_id: string
  readonly version: string | null
  readonly sessions: number
  readonly first_used: number | null
  readonly last_used: number | null
  readonly uninstalled_at: number | null
}

export type AppUseRow = AppUseState & { readonly profile_id: string }

const moments = raw(['first_used', 'last_used', 'uninstalled_at'].map(toMoment).join(', '))

export async function listAppUseStates(tx: Tx, people: readonly Person[]): Promise<AppUseRow[]> {
  return byShard<AppUseRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.app_id, p.version, p.sessions, ${moments} from ${personRows(part.items)} w(bucket, profile_id)
    join app_use p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
}

/** Writes the use of apps. The people must be locked. */
export async function saveAppUse(tx: Tx, rows: readonly (AppUseState & { person: Person })[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into app_use (bucket, profile_id, app_id, version, sessions, first_used, last_used, uninstalled_at)
    select * from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.app_id))}::text[], ${textArray(rows.map((row) => row.version))}::text[],
      ${int4Array(rows.map((row) => row.sessions))}::int4[], ${timestampArray(rows.map((row) => row.first_used))}::timestamptz[],
      ${timestampArray(rows.map((row) => row.last_used))}::timestamptz[],
      ${timestampArray(rows.map((row) => row.uninstalled_at))}::timestamptz[])
    on conflict (bucket, profile_id, app_id) do update set version = excluded.version, sessions = excluded.sessions,
      first_used = excluded.first_used, last_used = excluded.last_used, uninstalled_at = excluded.uninstalled_at`)
}

/** What an SDK reports of an app. */
export type ReportedUse = {
  app_id: string
  version: string | null
  sessions: number
  firstUsedUs: number | null
  lastUsedUs: number | null
  uninstalledUs: number | null
}

/**
 * Adds a report to a person's use of an app. The version is that of the latest use. A use after the app was uninstalled means that it is
 * installed again. The person is locked. Returns whether the app is uninstalled and was not before.
 */
export async function addAppUse(tx: Tx, { bucket, profile_id }: Person, use: ReportedUse): Promise<boolean> {
  const [row] = await tx.query<{ uninstalled: boolean }>(
    prepared(sql`
    with before as materialized (
      select uninstalled_at from app_use where bucket = ${bucket} and profile_id = ${profile_id} and app_id = ${use.app_id})
    insert into app_use as u (bucket, profile_id, app_id, version, sessions, first_used, last_used, uninstalled_at)
    values (${bucket}, ${profile_id}, ${use.app_id}, ${use.version}, ${use.sessions},
      ${timestampFromUs(use.firstUsedUs)}, ${timestampFromUs(use.lastUsedUs)}, ${timestampFromUs(use.uninstalledUs)})
    on conflict (bucket, profile_id, app_id) do update set
      version = case when excluded.last_used < u.last_used then u.version else coalesce(excluded.version, u.version) end,
      sessions = least(u.sessions + excluded.sessions::int8, ${countMax})::int4,
      first_used = least(u.first_used, excluded.first_used),
      last_used = greatest(u.last_used, excluded.last_used),
      uninstalled_at = case
        when greatest(u.last_used, excluded.last_used) > greatest(u.uninstalled_at, excluded.uninstalled_at) then null
        else greatest(u.uninstalled_at, excluded.uninstalled_at) end
    returning uninstalled_at is not null and not exists (select 1 from before where uninstalled_at is not null) as uninstalled`),
  )
  return row!.uninstalled
}
