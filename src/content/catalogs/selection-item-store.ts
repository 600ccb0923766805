import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, type Sql, sql } from '../../base/db/sql.ts'
import { catalogBucket } from './catalog-bucket.ts'
import type { CatalogCleanup } from './cleanup-store.ts'
import { toItem } from './item-change.ts'
import type { Field, Item, ItemFields } from './schema.ts'
import { conditionsOf, sortKeyOf } from './selection-conditions-store.ts'
import type { KeptSelection, StoredSelection } from './selection-store.ts'
import type { Catalog } from './store.ts'

/** Characters (code points) of a text that the index has: more than an id or time has, and less than an index may have. */
export const keyCharactersMax = 256

/** Inserts the rows of selections about some items, unless they exist. The catalog must be locked, and the items written. */
export async function insertSelectionItems(
  tx: Tx,
  { workspace_id, name, catalog_id, fields }: Catalog,
  selections: readonly KeptSelection[],
  ids: readonly string[],
): Promise<void> {
  if (selections.length === 0 || ids.length === 0) return
  const matches = selections.map((selection) => matchOf(selection, fields))
  await tx.query(sql`
    insert into selection_item (bucket, catalog_id, item_id, selection_id, descending, text_key, json_key)
    select i.bucket, i.catalog_id, i.item_id, s.selection_id, s.descending, s.text_key, s.json_key
    from catalog_item i
    cross join lateral (${join(matches, ' union all ')}) s(selection_id, descending, text_key, json_key)
    where i.bucket = ${catalogBucket(workspace_id, name)} and i.catalog_id = ${catalog_id}
      and i.item_id = any(${textArray(ids)}::text[])
    on conflict (bucket, catalog_id, item_id, selection_id) do nothing`)
}

/** Selects the row of a selection about an item `i`, or none. */
function matchOf({ selection_id, definition }: KeptSelection, fields: readonly Field[]): Sql {
  const { text, json } = sortKeyOf(definition, fields)
  const textKey = text === undefined ? sql`null::text` : sql`left(${text}, ${keyCharactersMax}::int)`
  return sql`
    select ${selection_id}::int, ${definition.sort_order === 'desc'}::boolean, ${textKey}, ${json ?? sql`null::jsonb`}
    where ${conditionsOf(definition.filters, fields)}`
}

/** Deletes the rows of all selections about some items. The catalog must be locked. */
export async function deleteSelectionItems(
  tx: Tx,
  { workspace_id, name, catalog_id }: Catalog | CatalogCleanup,
  ids: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from selection_item
    where bucket = ${catalogBucket(workspace_id, name)} and catalog_id = ${catalog_id}
      and item_id = any(${textArray(ids)}::text[])`)
}

/** Deletes rows of a deleted selection, at most `limit`. Returns how many. The catalog must be locked. */
export async function deleteRowsOfSelection(
  tx: Tx,
  { workspace_id, name, catalog_id }: Catalog,
  selection_id: number,
  limit: number,
): Promise<number> {
  const bucket = catalogBucket(workspace_id, name)
  const deleted = await tx.query(sql`
    delete from selection_item
    where bucket = ${bucket} and catalog_id = ${catalog_id} and selection_id = ${selection_id} and item_id = any(array(
      (select item_id from selection_item where bucket = ${bucket} and selection_id = ${selection_id} and descending limit ${limit})
      union all
      (select item_id from selection_item where bucket = ${bucket} and selection_id = ${selection_id} and not descending
        limit ${limit})
      limit ${limit}))
    returning bucket`)
  return deleted.length
}

type Row = {
  readonly item_id: string | null
  readonly fields: ItemFields
  /** Whether the key may be only the beginning of the value. */
  readonly is_cut: boolean | null
}

/**
 * Lists the items of a filled selection, which reads only what it returns. Returns undefined when the rows cannot tell them: the selection
 * has been deleted, or one of them has a text of `keyCharactersMax` characters or more in the field by which it sorts.
 */
export async function listSelectionItems(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  { catalog_id, fields, definition, selection_id }: StoredSelection,
): Promise<Item[] | undefined> {
  const bucket = catalogBucket(workspace_id, catalog)
  const isDescending = definition.sort_order === 'desc'
  const part = isDescending ? sql`descending` : sql`not descending`
  const order = isDescending
    ? sql`text_key desc nulls last, json_key desc nulls last, item_id`
    : sql`text_key, json_key, item_id`
  // The fields are a subquery, because a plan of a join may read all items of the catalog.
  // The selection gives at least one row. Its rows are deleted only after itself, so a statement that sees it sees all of them.
  const rows = await tx.query<Row>(sql`
    select k.item_id, k.fields, length(k.text_key) = ${keyCharactersMax}::int as is_cut
    from catalog_selection s left join (
      select o.item_id, o.text_key, o.json_key, (
        select i.fields from catalog_item i
        where i.bucket = ${bucket} and i.catalog_id = ${catalog_id} and i.item_id = o.item_id) as fields
      from (
        select item_id, text_key, json_key from selection_item
        where bucket = ${bucket} and selection_id = ${selection_id} and ${part}
        order by ${order} limit ${definition.results_limit}) o) k on true
    where s.selection_id = ${selection_id}
    order by ${order}`)
  if (rows.length === 0 || rows.some(({ is_cut }) => is_cut)) return undefined
  return rows.flatMap(({ item_id, fields: stored }) => (item_id === null ? [] : [toItem(item_id, stored, fields)]))
}
