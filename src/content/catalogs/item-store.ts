import { jsonbArray, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { itemOf } from './change.ts'
import { isName } from './read-items.ts'
import type { Field, Item, ItemFields } from './schema.ts'
import { bucketOf, type Catalog, type Remains } from './store.ts'

export type ItemRow = { readonly item_id: string; readonly fields: ItemFields }

/**
 * Items of a catalog by their ids, in that order, undefined where there is none: one read by the primary key, also for rendering.
 * Undefined as a whole when there is no catalog of this name.
 */
export async function findItems(
  tx: Tx,
  workspace_id: number,
  name: string,
  ids: readonly string[],
): Promise<(Item | undefined)[] | undefined> {
  if (!isName(name)) return undefined
  // At least one row comes back from a catalog, with its fields.
  const asked = ids.length === 0 ? [''] : ids.map((id) => (isName(id) ? id : ''))
  const rows = await tx.query<{ definition: Field[]; item_id: string | null; fields: ItemFields | null }>(sql`
    select case when w.n = 1 then c.fields end as definition, i.item_id, i.fields
    from catalog c
    cross join unnest(${textArray(asked)}::text[]) with ordinality w(item_id, n)
    left join catalog_item i
      on i.bucket = ${bucketOf(workspace_id, name)} and i.catalog_id = c.catalog_id and i.item_id = w.item_id
    where c.workspace_id = ${workspace_id} and c.name = ${name}
    order by w.n`)
  const [first] = rows
  if (first === undefined) return undefined
  return ids.map((_, i) => {
    const { item_id, fields } = rows[i]!
    return item_id === null ? undefined : itemOf(item_id, fields!, first.definition)
  })
}

/** A page of a catalog's items in the order of their ids. What is passed over is counted in the index alone. */
export function listPage(tx: Tx, catalog: Catalog, skip: number, limit: number): Promise<ItemRow[]> {
  const { workspace_id, name, catalog_id } = catalog
  const bucket = bucketOf(workspace_id, name)
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${bucket} and catalog_id = ${catalog_id} and item_id >= (
      select item_id from catalog_item where bucket = ${bucket} and catalog_id = ${catalog_id}
      order by item_id limit 1 offset ${skip})
    order by item_id limit ${limit}`)
}

/** Those of some items that are there; the catalog is held. */
export function listItems(tx: Tx, catalog: Catalog, ids: readonly string[]): Promise<ItemRow[]> {
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${bucketOf(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}

/** Writes items, whether they are there or not; the catalog is held. */
export async function upsertItems(tx: Tx, catalog: Catalog, items: readonly ItemRow[], atMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into catalog_item (bucket, catalog_id, item_id, fields, updated_at)
    select ${bucketOf(catalog.workspace_id, catalog.name)}::int, ${catalog.catalog_id}::int, w.item_id, w.fields,
      ${timestampFromUs(atMs * 1000)}
    from unnest(${textArray(items.map(({ item_id }) => item_id))}::text[],
      ${jsonbArray(items.map(({ fields }) => JSON.stringify(fields)))}::jsonb[]) w(item_id, fields)
    on conflict (bucket, catalog_id, item_id) do update set fields = excluded.fields, updated_at = excluded.updated_at`),
  )
}

export async function deleteItems(tx: Tx, catalog: Catalog | Remains, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from catalog_item
    where bucket = ${bucketOf(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}

/** The first ids in a catalog that is gone, at most `limit`. */
export async function listIds(tx: Tx, { workspace_id, name, catalog_id }: Remains, limit: number): Promise<string[]> {
  const rows = await tx.query<{ item_id: string }>(sql`
    select item_id from catalog_item where bucket = ${bucketOf(workspace_id, name)} and catalog_id = ${catalog_id}
    order by item_id limit ${limit}`)
  return rows.map(({ item_id }) => item_id)
}

/** The next items, at most `limit`, after an id. */
export function listAfter(tx: Tx, catalog: Catalog, item_id: string, limit: number): Promise<ItemRow[]> {
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${bucketOf(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id > ${item_id}
    order by item_id limit ${limit}`)
}

/** Takes the values of one field out of items. */
export async function clearField(tx: Tx, catalog: Catalog, ids: readonly string[], token: string): Promise<void> {
  await tx.query(sql`
    update catalog_item set fields = fields - ${token}::text
    where bucket = ${bucketOf(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}
