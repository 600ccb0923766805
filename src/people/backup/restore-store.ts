import { boolArray, int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import {
  type BackupColumn,
  type BackupColumns,
  type BackupRow,
  type BackupTable,
  type BackupValue,
  profileColumns,
} from './backup-tables.ts'

/** A row of a person with every column of its table. */
export type RestoredRow = { person: Person; row: BackupRow }

const object: BackupColumn = { type: 'jsonb', read: () => undefined }
const restoredColumns: BackupColumns = {
  workspace_id: { type: 'int4', read: () => undefined },
  ...profileColumns,
  custom: object,
  typed: object,
}

function arrayOf(type: BackupColumn['type'], values: readonly BackupValue[]): Sql {
  switch (type) {
    case 'text':
      return sql`${textArray(values as (string | null)[])}::text[]`
    case 'text[]':
      // An array cannot contain lists of different lengths.
      return sql`${jsonbArray(values.map((value) => JSON.stringify(value)))}::jsonb[]`
    case 'int8':
      return sql`${textArray(values as (string | null)[])}::text[]::int8[]`
    case 'uuid':
      return sql`${textArray(values as (string | null)[])}::text[]::uuid[]`
    case 'int4':
      return sql`${int4Array(values as (number | null)[])}::int4[]`
    case 'float8':
      return sql`${textArray(values.map((value) => (value === null ? null : String(value))))}::text[]::float8[]`
    case 'bool':
      return sql`${boolArray(values as (boolean | null)[])}::bool[]`
    case 'timestamptz':
      return sql`${timestampArray(values as (number | null)[])}::timestamptz[]`
    case 'jsonb':
      return sql`${jsonbArray(values.map((value) => (value === null ? null : JSON.stringify(value))))}::jsonb[]`
  }
}

function insertion(table: string, columns: BackupColumns, rows: readonly RestoredRow[]): Sql {
  const names = Object.keys(columns)
  const arrays = [
    sql`${int4Array(rows.map(({ person }) => person.bucket))}::int4[]`,
    sql`${int8Array(rows.map(({ person }) => person.key))}::int8[]`,
    ...names.map((name) =>
      arrayOf(
        columns[name]!.type,
        rows.map(({ row }) => row[name]!),
      ),
    ),
  ]
  const written = names.map((name) =>
    columns[name]!.type === 'text[]' ? `array(select jsonb_array_elements_text(v.${name}))` : `v.${name}`,
  )
  const listed = raw(names.join(', '))
  return sql`
    insert into ${raw(table)} (bucket, profile_id, ${listed})
    select v.bucket, v.profile_id, ${raw(written.join(', '))}
    from unnest(${join(arrays, ', ')}) v(bucket, profile_id, ${listed}) on conflict do nothing`
}

/** Inserts profiles with `restoredColumns`. Returns how many ids were free. */
export async function insertRestoredProfiles(tx: Tx, rows: readonly RestoredRow[]): Promise<number> {
  if (rows.length === 0) return 0
  const written = await tx.query(prepared(sql`${insertion('profile', restoredColumns, rows)} returning 1`))
  return written.length
}

/** Inserts rows into a table. A row whose key exists is skipped. */
export async function insertRows(tx: Tx, { table, columns }: BackupTable, rows: readonly RestoredRow[]): Promise<void> {
  if (rows.length > 0) await tx.query(prepared(insertion(table, columns, rows)))
}

/** A profile that exists already. */
export type PresentProfile = { profile_id: string; workspace_id: number; merged: boolean }

export async function listPresent(tx: Tx, people: readonly Person[]): Promise<PresentProfile[]> {
  return byShard<PresentProfile, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.workspace_id, p.merged_into is not null as merged
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
}

/** Locks and returns the last imported part of incomplete people, by `profile_id`. */
export async function lockParts(tx: Tx, people: readonly Person[]): Promise<Map<string, number>> {
  if (people.length === 0) return new Map()
  const rows = await byShard<{ profile_id: string; part: number }, Person>(tx, people, (part) =>
    prepared(sql`
    select i.profile_id, i.part from ${personRows(part.items)} w(bucket, profile_id)
    join import_part i on i.bucket = w.bucket and i.profile_id = w.profile_id
    where true ${withinPart(part, 'i')} order by i.bucket, i.profile_id for update of i`),
  )
  return new Map(rows.map((row) => [row.profile_id, row.part]))
}

export type ImportPart = { person: Person; part: number }

export async function upsertParts(tx: Tx, rows: readonly ImportPart[], atUs: number): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    insert into import_part (bucket, profile_id, part, at)
    select *, ${timestampFromUs(atUs)} from unnest(
      ${int4Array(rows.map(({ person }) => person.bucket))}::int4[], ${int8Array(rows.map(({ person }) => person.key))}::int8[],
      ${int4Array(rows.map(({ part }) => part))}::int4[])
    on conflict (bucket, profile_id) do update set part = excluded.part, at = excluded.at`),
  )
}

export async function deleteParts(tx: Tx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  await byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    delete from import_part i using ${personRows(part.items)} w(bucket, profile_id)
    where i.bucket = w.bucket and i.profile_id = w.profile_id ${withinPart(part, 'i')}`),
  )
}
