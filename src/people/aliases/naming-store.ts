import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { moment } from '../../base/db/moment.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type Located, type Person, person } from '../identity/person.ts'
import { peopleOf } from '../identity/store.ts'

/** Locks identifiers in the order given and answers whom they name, by key; those that nobody has are missing. */
export async function lockIdentifiers(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person>> {
  if (wanted.length === 0) return new Map()
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string }>(sql`
    select w.n::int as n, i.owner_bucket, i.owner_id
    from unnest(
      ${int4Array(wanted.map((each) => each.bucket))}::int4[], ${int4Array(wanted.map((each) => each.workspace_id))}::int4[],
      ${textArray(wanted.map((each) => each.kind))}::text[], ${textArray(wanted.map((each) => each.value))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, n)
    join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
    where i.owner_id is not null order by w.n for update of i`)
  return new Map(rows.map((row) => [wanted[row.n - 1]!.key, person(row.owner_bucket, row.owner_id)]))
}

export type ExternalIdRow = { readonly profile_id: string; readonly external_id: string | null }

/** Locks the people who are there in the one order. */
export async function lockExternalIds(tx: Tx, people: readonly Person[]): Promise<ExternalIdRow[]> {
  return tx.query<ExternalIdRow>(
    prepared(sql`
    select p.profile_id, p.external_id from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by p.bucket, p.profile_id for update of p`),
  )
}

/** Somebody who has got, lost or changed a name; the row is locked. */
export type RenamedRow = { person: Person; external_id: string | null; stampUs: number }

export async function updateExternalIds(tx: Tx, rows: readonly RenamedRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    update profile p set external_id = v.external_id, updated_at = greatest(p.updated_at, v.stamp)
    from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.external_id))}::text[],
      ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[]) v(bucket, profile_id, external_id, stamp)
    where p.bucket = v.bucket and p.profile_id = v.profile_id`)
}

export type FormerIdRow = { person: Person; external_id: string }

export async function insertFormerIds(tx: Tx, rows: readonly FormerIdRow[], atUs: number): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into former_id (bucket, profile_id, external_id, at)
    select v.bucket, v.profile_id, v.external_id, ${moment(atUs)}
    from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.external_id))}::text[]) v(bucket, profile_id, external_id)
    on conflict do nothing`)
}

export async function deleteFormerIds(tx: Tx, rows: readonly FormerIdRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    delete from former_id f using unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.external_id))}::text[]) v(bucket, profile_id, external_id)
    where f.bucket = v.bucket and f.profile_id = v.profile_id and f.external_id = v.external_id`)
}
