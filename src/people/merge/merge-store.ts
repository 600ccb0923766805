import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type Person, person } from '../identity/person.ts'
import { peopleOf } from '../identity/person-store.ts'
import { type ColumnType, fromMoment, listColumns, stateColumns, toMoment } from '../profile/whole-store.ts'
import type { AppUse, MergeState, Move } from './merge.ts'

const mergeColumns: Record<keyof MergeState, ColumnType> = {
  ...stateColumns,
  external_id: 'text',
  session_count: 'int',
  total_revenue: 'float8',
  attributed_campaign: 'text',
  attributed_source: 'text',
  attributed_adgroup: 'text',
  attributed_ad: 'text',
}

const { names, recordColumns, fromRecord, toState } = listColumns(mergeColumns)

export type MergeRow = MergeState & {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
}

/** Locks the people who are there in the one order and loads everything a merge may read. */
export async function lockMerge(tx: Tx, people: readonly Person[]): Promise<MergeRow[]> {
  return tx.query<MergeRow>(
    prepared(sql`
    select p.bucket, p.profile_id, p.workspace_id, ${toState}
    from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by p.bucket, p.profile_id for update of p`),
  )
}

/** `into`: the person this one went up in; null for a person who stays. */
export type Merged = { person: Person; state: MergeState; into: Person | null; stampUs: number }

/** Writes every column of the states; the rows are locked already. */
export async function saveMerged(tx: Tx, saved: readonly Merged[]): Promise<void> {
  const records = saved.map(({ person: { bucket, profile_id }, state, into, stampUs }) => ({
    ...state,
    bucket,
    profile_id,
    into_bucket: into?.bucket,
    into_id: into?.profile_id,
    stamp: stampUs,
  }))
  await tx.query(
    prepared(sql`
    update profile p set (${names}, merged_bucket, merged_into, updated_at)
      = row(${fromRecord}, v.into_bucket, v.into_id, greatest(p.updated_at, ${fromStamp}))
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
      v(bucket int, profile_id int8, into_bucket int, into_id int8, stamp float8, ${recordColumns})
    where p.bucket = v.bucket and p.profile_id = v.profile_id`),
  )
}

const fromStamp = raw(fromMoment('stamp'))

export type AppUseRow = AppUse & { readonly profile_id: string }

export async function listAppUse(tx: Tx, people: readonly Person[]): Promise<AppUseRow[]> {
  return tx.query<AppUseRow>(
    prepared(sql`
    select p.profile_id, p.app_id, p.version, p.sessions, ${appMoments} from ${peopleOf(people)} w(bucket, profile_id)
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
    select a.bucket, a.profile_id, a.from_bucket, a.from_id from ${peopleOf(people)} w(bucket, profile_id)
    join absorbed a on a.bucket = w.bucket and a.profile_id = w.profile_id`),
  )
  return rows.map((row) => ({
    person: person(row.bucket, row.profile_id),
    from: person(row.from_bucket, row.from_id),
  }))
}

/** Profiles with whom each goes up in, as rows of bucket, profile_id, into_bucket, into_id. */
export function movesOf(moves: readonly Move[]): Sql {
  return sql`unnest(
      ${int4Array(moves.map(({ from }) => from.bucket))}::int4[], ${int8Array(moves.map(({ from }) => from.key))}::int8[],
      ${int4Array(moves.map(({ into }) => into.bucket))}::int4[], ${int8Array(moves.map(({ into }) => into.key))}::int8[])`
}

/** The rows of profiles that were merged away earlier point at who has them now. */
export async function repointStubs(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await tx.query(
    prepared(sql`
    update profile p set merged_bucket = w.into_bucket, merged_into = w.into_id
    from ${movesOf(moves)} w(bucket, profile_id, into_bucket, into_id)
    where p.bucket = w.bucket and p.profile_id = w.profile_id`),
  )
}

export async function insertAbsorbed(tx: Tx, moves: readonly Move[], atUs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into absorbed (bucket, profile_id, from_bucket, from_id, moved, at)
    select w.into_bucket, w.into_id, w.bucket, w.profile_id, false, ${timestampFromUs(atUs)}
    from ${movesOf(moves)} w(bucket, profile_id, into_bucket, into_id)`),
  )
}
