import { int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { AttributeTypes } from './attribute-types.ts'

export type AttributeNameRow = { name: string; types: number }

export function findAttributeNames(
  tx: Tx,
  workspace_id: number,
  names: readonly string[],
): Promise<AttributeNameRow[]> {
  return tx.query<AttributeNameRow>(sql`
    select name, types from attribute_name
    where workspace_id = ${workspace_id} and name = any(${textArray(names)}::text[])`)
}

/**
 * Adds types to the names of a workspace, and stores new names as long as it has less than `max`. Returns what it has stored. Names are
 * written in order, so that two writers of the same names cannot deadlock.
 */
export function storeAttributeNames(
  tx: Tx,
  workspace_id: number,
  added: AttributeTypes,
  max: number,
): Promise<AttributeNameRow[]> {
  return tx.query<AttributeNameRow>(sql`
    insert into attribute_name (workspace_id, name, types)
    select ${workspace_id}::int, given.name, given.types
    from (
      select v.name, v.types, k.name is null as is_new,
        row_number() over (partition by k.name is null order by v.name collate "C") as position
      from unnest(${textArray([...added.keys()])}::text[], ${int4Array([...added.values()])}::int4[]) v(name, types)
      left join attribute_name k on k.workspace_id = ${workspace_id} and k.name = v.name) given
    where not given.is_new
      or given.position <= ${max}::int4 - (select count(*) from attribute_name a where a.workspace_id = ${workspace_id})
    order by given.name collate "C"
    on conflict (workspace_id, name) do update set types = attribute_name.types | excluded.types
    returning name, types`)
}

/** Lists names of custom attributes in the order of their characters. */
export function listAttributeNames(
  tx: Tx,
  workspace_id: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<AttributeNameRow[]> {
  return tx.query<AttributeNameRow>(sql`
    select name, types from attribute_name where workspace_id = ${workspace_id}
    order by name collate "C" limit ${limit} offset ${offset}`)
}

export async function countAttributeNames(tx: Tx, workspace_id: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from attribute_name where workspace_id = ${workspace_id}`)
  return row!.count
}
