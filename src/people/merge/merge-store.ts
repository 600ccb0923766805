import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type Move, type Person, person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'
import { toMoment } from '../profile/state-store.ts'
import type { AppUse } from './merge.ts'

export type AppUseRow = AppUse & { readonly profile_id: string }

export async function listAppUse(tx: Tx, people: readonly Person[]): Promise<AppUseRow[]> {
  return tx.query<AppUseRow>(
    prepared(sql`
    select p.profile_id, p.app_id, p.version, p.sessions, ${appMoments} from ${personRows(people)} w(bucket, profile_id)
    join app_use p on p.bucket = w.bucket and p.profile_id = w.profile_id`),
  )
}

const appMoments = raw(['first_used', 'last_used', 'uninstalled_at'].map(toMoment).join(', '))

export async function saveAppUse(tx: Tx, rows: readonly (AppUse & { person: Person })[]): Promise<void> {
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

/** A profile that went up in this person earlier. */
export type Absorbed = { person: Person; from: Person }

type AbsorbedRow = { bucket: number; profile_id: string; from_bucket: number; from_id: string }

export async function listAbsorbed(tx: Tx, people: readonly Person[]): Promise<Absorbed[]> {
  const rows = await tx.query<AbsorbedRow>(
    prepared(sql`
    select a.bucket, a.profile_id, a.from_bucket, a.from_id from ${personRows(people)} w(bucket, profile_id)
    join absorbed a on a.bucket = w.bucket and a.profile_id = w.profile_id`),
  )
  return rows.map((row) => ({
    person: person(row.bucket, row.profile_id),
    from: person(row.from_bucket, row.from_id),
  }))
}

export async function insertAbsorbed(tx: Tx, moves: readonly Move[], atUs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into absorbed (bucket, profile_id, from_bucket, from_id, moved, at)
    select w.into_bucket, w.into_id, w.bucket, w.profile_id, false, ${timestampFromUs(atUs)}
    from ${moveRows(moves)} w(bucket, profile_id, into_bucket, into_id)`),
  )
}
