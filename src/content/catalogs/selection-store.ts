import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { catalogBucket } from './catalog-bucket.ts'
import { toItem } from './item-change.ts'
import type { Field, Filter, Item, ItemFields, Selection } from './schema.ts'

type SelectionDefinition = Omit<Selection, 'name' | 'description'>
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

export async function insertSelection(
  tx: Tx,
  catalog_id: number,
  { name, description, ...definition }: Selection,
  atMs: number,
): Promise<void> {
  await tx.query(sql`
    insert into catalog_selection (catalog_id, name, description, definition, created_at)
    values (${catalog_id}, ${name}, ${description}, ${JSON.stringify(definition)}::jsonb, ${timestampFromUs(atMs * 1000)})`)
}

/** Returns false when there is none of this name. */
export async function deleteSelection(tx: Tx, catalog_id: number, name: string): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from catalog_selection where catalog_id = ${catalog_id} and name = ${name} returning name`)
  return deleted.length > 0
}

/** Deletes all selections of a catalog. */
export async function deleteSelections(tx: Tx, catalog_id: number): Promise<void> {
  await tx.query(sql`delete from catalog_selection where catalog_id = ${catalog_id}`)
}

/** A selection with the fields of its catalog. */
export type StoredSelection = {
  readonly catalog_id: number
  readonly fields: readonly Field[]
  readonly definition: SelectionDefinition
}

export async function findSelection(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: string,
): Promise<StoredSelection | undefined> {
  const [found] = await tx.query<StoredSelection>(sql`
    select c.catalog_id, c.fields, s.definition from catalog c join catalog_selection s on s.catalog_id = c.catalog_id
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
  const fieldsByName = new Map(fields.map((field) => [field.name, field]))
  const conditions = definition.filters.map(
    (filter) => sql` and ${conditionOf(filter, fieldsByName.get(filter.field)!)}`,
  )
  const rows = await tx.query<{ item_id: string; fields: ItemFields }>(sql`
    select i.item_id, i.fields from catalog_item i
    where i.bucket = ${catalogBucket(workspace_id, catalog)} and i.catalog_id = ${catalog_id}${join(conditions, '')}
    order by ${orderOf(definition, fieldsByName)}i.item_id limit ${definition.results_limit}`)
  return rows.map(({ item_id, fields: stored }) => toItem(item_id, stored, fields))
}

/** True or false, never null. JSON values are compared as JSON, so that a value of another type causes no error. */
function conditionOf({ operator, value }: Filter, field: Field): Sql {
  const json = sql`(i.fields -> ${field.token}::text)`
  const text = textOf(field)
  switch (operator) {
    case 'equals':
    case 'is':
      return field.type === 'string'
        ? sql`coalesce(${text} = ${value}::text, false)`
        : sql`coalesce(${json} = ${JSON.stringify(value)}::jsonb, false)`
    case 'does not equal':
      return field.type === 'string'
        ? sql`${text} is distinct from ${value}::text`
        : sql`${json} is distinct from ${JSON.stringify(value)}::jsonb`
    case 'greater than':
      return sql`coalesce(${json} > ${JSON.stringify(value)}::jsonb, false)`
    case 'less than':
      return sql`coalesce(${json} < ${JSON.stringify(value)}::jsonb, false)`
    case 'before':
      return sql`coalesce(${text} < ${value}::text, false)`
    case 'after':
      return sql`coalesce(${text} > ${value}::text, false)`
    case 'includes value':
      return sql`coalesce(${json} ? ${value}::text, false)`
    case 'does not include value':
      return sql`not coalesce(${json} ? ${value}::text, false)`
    default:
      return sql`false`
  }
}

function orderOf({ sort_field, sort_order }: SelectionDefinition, fieldsByName: ReadonlyMap<string, Field>): Sql {
  if (sort_field === null) return sql``
  const field = fieldsByName.get(sort_field)!
  const key = field.type === 'string' || field.type === 'time' ? textOf(field) : sql`(i.fields -> ${field.token}::text)`
  return sort_order === 'desc' ? sql`${key} desc nulls last, ` : sql`${key} asc nulls last, `
}

/** A field as text, compared by code points on every database. */
function textOf({ name, token }: Field): Sql {
  return name === 'id' ? sql`i.item_id` : sql`((i.fields ->> ${token}::text) collate "C")`
}
