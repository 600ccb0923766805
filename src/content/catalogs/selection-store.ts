import { int4Array } from '../../base/db/arrays.ts'
import { takeIds } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { catalogBucket } from './catalog-bucket.ts'
import { toItem } from './item-change.ts'
import type { Field, Item, ItemFields, Selection } from './schema.ts'
import { conditionsOf, sortKeyOf } from './selection-conditions-store.ts'

export type SelectionDefinition = Omit<Selection, 'name' | 'description'>
type SelectionRow = { catalog_id: number; name: string; description: string; definition: SelectionDefinition }

/** Lists the selections of some catalogs, in the order of their names. */
export async function listSelections(
  tx: Tx,
  catalog_ids: readonly number[],
): Promise<(Selection & { catalog_id: number })[]> {
  const rows = await tx.query<SelectionRow>(sql`
    select catalog_id, name, description, definition from catalog_selection
    where catalog_id = any(${int4Array(catalog_ids)}::int4[]) order by catalog_id, name collate "C"`)
  return rows.map(({ catalog_id, name, description, definition }) => ({ catalog_id, name, description, ...definition }))
}

/** Inserts a selection. The catalog must be locked. Returns its id. */
export async function insertSelection(
  tx: Tx,
  catalog_id: number,
  { name, description, ...definition }: Selection,
  atMs: number,
): Promise<number> {
  const selection_id = await takeIds(tx, 'selection', 1)
  await tx.query(sql`
    insert into catalog_selection (catalog_id, name, description, definition, created_at, selection_id)
    values (${catalog_id}, ${name}, ${description}, ${JSON.stringify(definition)}::jsonb, ${timestampFromUs(atMs * 1000)},
      ${selection_id})`)
  await tx.query(sql`update catalog set kept_selections = kept_selections + 1 where catalog_id = ${catalog_id}`)
  return selection_id
}

/** Deletes a selection; a cleanup deletes its rows of `selection_item`. Returns its id; undefined when there is none of this name. */
export async function deleteSelection(tx: Tx, catalog_id: number, name: string): Promise<number | undefined> {
  const [deleted] = await tx.query<{ selection_id: number }>(sql`
    delete from catalog_selection where catalog_id = ${catalog_id} and name = ${name} returning selection_id`)
  return deleted?.selection_id
}

/** Counts a selection no longer whose rows of `selection_item` are deleted. The catalog must be locked. */
export async function subtractKeptSelection(tx: Tx, catalog_id: number): Promise<void> {
  await tx.query(sql`update catalog set kept_selections = kept_selections - 1 where catalog_id = ${catalog_id}`)
}

/** Deletes all selections of a catalog. */
export async function deleteSelections(tx: Tx, catalog_id: number): Promise<void> {
  await tx.query(sql`delete from catalog_selection where catalog_id = ${catalog_id}`)
}

/** The parts of a selection that decide which rows of `selection_item` it has. */
export type KeptSelection = {
  readonly selection_id: number
  readonly is_filled: boolean
  readonly definition: SelectionDefinition
}

/** Lists the selections of a catalog that have rows in `selection_item`. */
export async function listKeptSelections(tx: Tx, catalog_id: number): Promise<KeptSelection[]> {
  const rows = await tx.query<KeptSelection>(sql`
    select selection_id, is_filled, definition from catalog_selection where catalog_id = ${catalog_id} order by selection_id`)
  return rows.filter(({ definition }) => !isByKey(definition))
}

/** Returns whether a selection consists of the first items of its catalog, which are found by their key. Pure. */
function isByKey({ filters, sort_field }: SelectionDefinition): boolean {
  return filters.length === 0 && sort_field === null
}

/** Lists the catalogs with selections that are not filled. */
export async function listUnfilledCatalogs(
  tx: Tx,
): Promise<{ catalog_id: number; workspace_id: number; name: string }[]> {
  const rows = await tx.query<{
    catalog_id: number
    workspace_id: number
    name: string
    definitions: SelectionDefinition[]
  }>(sql`
    select c.catalog_id, c.workspace_id, c.name, jsonb_agg(s.definition) as definitions
    from catalog_selection s join catalog c on c.catalog_id = s.catalog_id
    where not s.is_filled group by c.catalog_id order by c.catalog_id`)
  return rows.filter(({ definitions }) => !definitions.every(isByKey))
}

/** Says that selections have all their rows in `selection_item`. The catalog must be locked. */
export async function setFilled(tx: Tx, selection_ids: readonly number[]): Promise<void> {
  await tx.query(sql`
    update catalog_selection set is_filled = true where selection_id = any(${int4Array(selection_ids)}::int4[])`)
}

/** A selection with the fields of its catalog. */
export type StoredSelection = KeptSelection & {
  readonly catalog_id: number
  readonly fields: readonly Field[]
}

export async function findSelection(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: string,
): Promise<StoredSelection | undefined> {
  const [found] = await tx.query<StoredSelection>(sql`
    select c.catalog_id, c.fields, s.definition, s.selection_id, s.is_filled
    from catalog c join catalog_selection s on s.catalog_id = c.catalog_id
    where c.workspace_id = ${workspace_id} and c.name = ${catalog} and s.name = ${selection}`)
  return found
}

/** Lists the items of a selection: one scan of its catalog. Items without a value come last in every order. */
export async function listSelected(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: StoredSelection,
): Promise<Item[]> {
  const { catalog_id, fields, definition } = selection
  const { text, json } = sortKeyOf(definition, fields)
  const key = text ?? json
  const order =
    key === undefined ? sql`` : definition.sort_order === 'desc' ? sql`${key} desc nulls last, ` : sql`${key}, `
  const rows = await tx.query<{ item_id: string; fields: ItemFields }>(sql`
    select i.item_id, i.fields from catalog_item i
    where i.bucket = ${catalogBucket(workspace_id, catalog)} and i.catalog_id = ${catalog_id}
      and ${conditionsOf(definition.filters, fields)}
    order by ${order}i.item_id limit ${definition.results_limit}`)
  return rows.map(({ item_id, fields: stored }) => toItem(item_id, stored, fields))
}
