import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Located, Move } from '../../people/identity/person.ts'
import { moveRows } from '../../people/identity/person-store.ts'

/** An identifier that names no person after a merge, and an identifier of the kept person. */
export type DroppedIdentifier = {
  workspace_id: number
  kind: 'external_id' | 'alias' | 'email'
  value: string
  into_id: string
  kept_id: string | null
  kept_alias: string | null
}

/** Lists the identifiers that will name no person after these merges. */
export async function listDroppedIdentifiers(tx: Tx, moves: readonly Move[]): Promise<DroppedIdentifier[]> {
  return tx.query<DroppedIdentifier>(
    prepared(sql`
    with pairs as materialized (
      select w.*, p.workspace_id, p.external_id, p.email, k.external_id as kept_id, k.email as kept_email, (
        select a.alias_label || chr(31) || a.alias_name from profile_alias a
        where a.bucket = w.into_bucket and a.profile_id = w.into_id order by a.alias_label limit 1) as kept_alias
      from ${moveRows(moves)} w(bucket, profile_id, into_bucket, into_id)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      join profile k on k.bucket = w.into_bucket and k.profile_id = w.into_id)
    select workspace_id, 'external_id' as kind, external_id as value, into_id, kept_id, kept_alias from pairs where external_id is not null
    union all
    select w.workspace_id, 'external_id', f.external_id, w.into_id, w.kept_id, w.kept_alias
    from pairs w join former_id f on f.bucket = w.bucket and f.profile_id = w.profile_id
    union all
    select w.workspace_id, 'alias', a.alias_label || chr(31) || a.alias_name, w.into_id, w.kept_id, w.kept_alias
    from pairs w join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id
    join profile_alias b on b.bucket = w.into_bucket and b.profile_id = w.into_id and b.alias_label = a.alias_label
    union all
    select w.workspace_id, 'email', w.email, w.into_id, w.kept_id, w.kept_alias
    from pairs w cross join lateral (
      select sha256(convert_to(w.workspace_id || ${'\u001femail\u001f'}::text || w.email, 'UTF8')) as hash) h
    where w.email <> w.kept_email and not exists (
      select 1 from contact c
      where c.bucket = (get_byte(h.hash, 0) << 4) + (get_byte(h.hash, 1) >> 4) and c.workspace_id = w.workspace_id and c.kind = 'email'
        and c.value = w.email and (c.owner_bucket, c.owner_id) <> (w.bucket, w.profile_id))`),
  )
}

/** Returns which of these addresses a person still has: their indexes. */
export async function listUsedAddresses(tx: Tx, addresses: readonly Located[]): Promise<ReadonlySet<number>> {
  const rows = await byShardWithItems<{ n: number }, Located>(tx, addresses, (part) =>
    prepared(sql`
    select w.n::int as n from unnest(
      ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int4Array(part.items.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(part.items.map(({ kind }) => kind))}::text[], ${textArray(part.items.map(({ value }) => value))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, n)
    where exists (
      select 1 from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
        ${withinPart(part, 'c')})`),
  )
  return new Set(rows.map(({ index }) => index))
}
