import { jsonbArray, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { catalogBucket } from './catalog-bucket.ts'
import type { CatalogCleanup } from './cleanup-store.ts'
import { toItem } from './item-change.ts'
import { isCatalogName } from './read-items.ts'
import type { Field, Item, ItemFields } from './schema.ts'
import type { Catalog } from './store.ts'

export type ItemRow = { readonly item_id: string; readonly fields: ItemFields }

/**
 * Finds items by their ids, in that order, undefined where there is none: one read by the primary key. Returns undefined when there is
 * no catalog of this name.
 */
export async function findItems(
  tx: Tx,
  workspace_id: number,
  name: string,
  ids: readonly string[],
): Promise<(Item | undefined)[] | undefined> {
  if (!isCatalogName(name)) return undefined
  // A catalog gives at least one row, which has its fields.
  const keys = ids.length === 0 ? [''] : ids.map((id) => (isCatalogName(id) ? id : ''))
  const rows = await tx.query<{ definition: Field[]; item_id: string | null; fields: ItemFields | null }>(sql`
    select case when w.n = 1 then c.fields end as definition, i.item_id, i.fields
    from catalog c
    cross join unnest(${textArray(keys)}::text[]) with ordinality w(item_id, n)
    left join catalog_item i
      on i.bucket = ${catalogBucket(workspace_id, name)} and i.catalog_id = c.catalog_id and i.item_id = w.item_id
    where c.workspace_id = ${workspace_id} and c.name = ${name}
    order by w.n`)
  const [first] = rows
  if (first === undefined) return undefined
  return ids.map((_, i) => {
    const { item_id, fields } = rows[i]!
    return item_id === null ? undefined : toItem(item_id, fields!, first.definition)
  })
}

/** Lists a page of items in the order of their ids. The skipped items are read only from the index. */
export function listItemPage(tx: Tx, catalog: Catalog, skip: number, limit: number): Promise<ItemRow[]> {
  const { workspace_id, name, catalog_id } = catalog
  const bucket = catalogBucket(workspace_id, name)
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${bucket} and catalog_id = ${catalog_id} and item_id >= (
      select item_id from catalog_item where bucket = ${bucket} and catalog_id = ${catalog_id}
      order by item_id limit 1 offset ${skip})
    order by item_id limit ${limit}`)
}

export type DatedItemRow = ItemRow & { readonly updated_at: Date }

/** Lists the items after an id whose ids begin with a text, at most `limit`. */
export function listItemsByPrefix(
  tx: Tx,
  catalog: Catalog,
  { prefix, after }: { readonly prefix: string; readonly after: string },
  limit: number,
): Promise<DatedItemRow[]> {
  // A tilde comes after every character that an id may have.
  return tx.query<DatedItemRow>(sql`
    select item_id, fields, updated_at from catalog_item
    where bucket = ${catalogBucket(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id >= ${prefix} and item_id < ${`${prefix}~`} and item_id > ${after}
    order by item_id limit ${limit}`)
}

/** Finds the existing items among some ids. The catalog must be locked. */
export function findItemRows(tx: Tx, catalog: Catalog, ids: readonly string[]): Promise<ItemRow[]> {
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${catalogBucket(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}

/** Inserts or replaces items. The catalog must be locked. */
export async function upsertItems(tx: Tx, catalog: Catalog, items: readonly ItemRow[], atMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into catalog_item (bucket, catalog_id, item_id, fields, updated_at)
    select ${catalogBucket(catalog.workspace_id, catalog.name)}::int, ${catalog.catalog_id}::int, w.item_id, w.fields,
      ${timestampFromUs(atMs * 1000)}
    from unnest(${textArray(items.map(({ item_id }) => item_id))}::text[],
      ${jsonbArray(items.map(({ fields }) => JSON.stringify(fields)))}::jsonb[]) w(item_id, fields)
    on conflict (bucket, catalog_id, item_id) do update set fields = excluded.fields, updated_at = excluded.updated_at`),
  )
}

export async function deleteItems(tx: Tx, catalog: Catalog | CatalogCleanup, ids: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from catalog_item
    where bucket = ${catalogBucket(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}

/** Lists the first ids of a deleted catalog, at most `limit`. */
export async function listItemIds(
  tx: Tx,
  { workspace_id, name, catalog_id }: CatalogCleanup,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ item_id: string }>(sql`
    select item_id from catalog_item where bucket = ${catalogBucket(workspace_id, name)} and catalog_id = ${catalog_id}
    order by item_id limit ${limit}`)
  return rows.map(({ item_id }) => item_id)
}

/** Lists the next items after an id, at most `limit`. */
export function listItemsAfter(tx: Tx, catalog: Catalog, item_id: string, limit: number): Promise<ItemRow[]> {
  return tx.query<ItemRow>(sql`
    select item_id, fields from catalog_item
    where bucket = ${catalogBucket(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id > ${item_id}
    order by item_id limit ${limit}`)
}

/** Removes the values of one field from items. */
export async function removeFieldValues(
  tx: Tx,
  catalog: Catalog,
  ids: readonly string[],
  token: string,
): Promise<void> {
  await tx.query(sql`
    update catalog_item set fields = fields - ${token}::text
    where bucket = ${catalogBucket(catalog.workspace_id, catalog.name)} and catalog_id = ${catalog.catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}
