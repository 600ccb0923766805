import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { Identifier } from './identifier.ts'
import type { Located, Person } from './person.ts'
import { peopleOf } from './store.ts'

export type NameRow = Identifier & { readonly profile_id: string }

/**
 * What names each of these people beside the columns of their profile: aliases, devices, push tokens, and external ids that they
 * had before. Only who holds the lock of a profile gives it more of them; a push token may leave at any time.
 */
export async function listNames(tx: Tx, people: readonly Person[]): Promise<NameRow[]> {
  return tx.query<NameRow>(
    prepared(sql`
    with asked as materialized (select * from ${peopleOf(people)} w(bucket, profile_id))
    select w.profile_id, 'alias' as kind, a.alias_label || chr(31) || a.alias_name as value
    from asked w join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id
    union all
    select w.profile_id, 'device', d.device_id
    from asked w join device d on d.bucket = w.bucket and d.profile_id = w.profile_id
    union all
    select w.profile_id, 'push_token', t.app_id || chr(31) || t.token
    from asked w join push_token t on t.bucket = w.bucket and t.profile_id = w.profile_id
    union all
    select w.profile_id, 'external_id', f.external_id
    from asked w join former_id f on f.bucket = w.bucket and f.profile_id = w.profile_id`),
  )
}

/** An identifier as far as it names this person. */
export type OwnedIdentifier = Located & { owner: Person }

function columnsOf(rows: readonly OwnedIdentifier[]): Sql {
  return sql`${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.kind))}::text[], ${textArray(rows.map((row) => row.value))}::text[],
      ${int8Array(rows.map((row) => row.owner.key))}::int8[]`
}

/** From now on each of them names `into`. One that names somebody else by now stays as it is. */
export async function repointIdentifiers(tx: Tx, rows: readonly (OwnedIdentifier & { into: Person })[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    update identifier i set owner_bucket = v.into_bucket, owner_id = v.into_id
    from unnest(${columnsOf(rows)}, ${int4Array(rows.map((row) => row.into.bucket))}::int4[],
      ${int8Array(rows.map((row) => row.into.key))}::int8[]) v(bucket, workspace_id, kind, value, owner_id, into_bucket, into_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value
      and i.owner_id = v.owner_id`),
  )
}

/** From now on they name nobody. One that names somebody else by now stays. */
export async function deleteIdentifiers(tx: Tx, rows: readonly OwnedIdentifier[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(
    prepared(sql`
    delete from identifier i using unnest(${columnsOf(rows)}) v(bucket, workspace_id, kind, value, owner_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value
      and i.owner_id = v.owner_id`),
  )
}
