import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from './person.ts'

export type AliasRow = { person: Person; alias_label: string; alias_name: string }

export async function insertAliases(tx: Tx, rows: readonly AliasRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`${aliasesOf(rows)} on conflict do nothing`)
}

/** Writes one alias per person and label. A stored alias with the label gets the new name. */
export async function upsertAliases(tx: Tx, rows: readonly AliasRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`${aliasesOf(rows)}
    on conflict (bucket, profile_id, alias_label) do update set alias_name = excluded.alias_name`)
}

function aliasesOf(rows: readonly AliasRow[]): Sql {
  return sql`
    insert into profile_alias (bucket, profile_id, alias_label, alias_name)
    select * from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.alias_label))}::text[], ${textArray(rows.map((row) => row.alias_name))}::text[])`
}

export type LabelOf = { person: Person; alias_label: string }

/** Deletes aliases of people by their labels. */
export async function deleteAliases(tx: Tx, labels: readonly LabelOf[]): Promise<void> {
  if (labels.length === 0) return
  await byShard<unknown, LabelOf>(tx, labels, (part) =>
    prepared(sql`
    delete from profile_alias a using unnest(
      ${int4Array(part.items.map((each) => each.person.bucket))}::int4[], ${int8Array(part.items.map((each) => each.person.key))}::int8[],
      ${textArray(part.items.map((each) => each.alias_label))}::text[]) v(bucket, profile_id, alias_label)
    where a.bucket = v.bucket and a.profile_id = v.profile_id and a.alias_label = v.alias_label ${withinPart(part, 'a')}`),
  )
}

export type FormerIdRow = { person: Person; external_id: string }

export async function insertFormerIds(tx: Tx, rows: readonly FormerIdRow[], atUs: number): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into former_id (bucket, profile_id, external_id, at)
    select v.bucket, v.profile_id, v.external_id, ${timestampFromUs(atUs)}
    from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.external_id))}::text[]) v(bucket, profile_id, external_id)
    on conflict do nothing`)
}

export async function deleteFormerIds(tx: Tx, rows: readonly FormerIdRow[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, FormerIdRow>(tx, rows, (part) =>
    prepared(sql`
    delete from former_id f using unnest(
      ${int4Array(part.items.map((row) => row.person.bucket))}::int4[], ${int8Array(part.items.map((row) => row.person.key))}::int8[],
      ${textArray(part.items.map((row) => row.external_id))}::text[]) v(bucket, profile_id, external_id)
    where f.bucket = v.bucket and f.profile_id = v.profile_id and f.external_id = v.external_id ${withinPart(part, 'f')}`),
  )
}

/** Returns whether each person has an alias with that label, in the order of `labels`. */
export async function findLabels(tx: Tx, labels: readonly LabelOf[]): Promise<boolean[]> {
  if (labels.length === 0) return []
  const rows = await byShardWithItems<{ n: number; taken: boolean }, LabelOf>(
    tx,
    labels,
    (part) => sql`
    select w.n::int as n, a.profile_id is not null as taken
    from unnest(
      ${int4Array(part.items.map((each) => each.person.bucket))}::int4[], ${int8Array(part.items.map((each) => each.person.key))}::int8[],
      ${textArray(part.items.map((each) => each.alias_label))}::text[]) with ordinality w(bucket, profile_id, alias_label, n)
    left join profile_alias a
      on a.bucket = w.bucket and a.profile_id = w.profile_id and a.alias_label = w.alias_label ${withinPart(part, 'a')}
    order by w.n`,
  )
  const taken = new Set(rows.filter(({ row }) => row.taken).map(({ index }) => index))
  return labels.map((_, index) => taken.has(index))
}
