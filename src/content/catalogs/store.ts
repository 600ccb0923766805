import { takeIds } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { allItems, deleteCleanups, insertCleanup } from './cleanup-store.ts'
import type { Field } from './schema.ts'
import { deleteSelections } from './selection-store.ts'

/** A catalog in a workspace file. */
export type CatalogDefinition = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly fields: readonly Field[]
  /** The token of the next new field. */
  readonly next_token: number
}

export type Catalog = CatalogDefinition & {
  readonly catalog_id: number
  readonly workspace_id: number
  readonly num_items: number
  readonly storage_size: number
  /** Selections that have rows in `selection_item`, also deleted ones until their rows are deleted. */
  readonly kept_selections: number
  readonly updated_at: Date
}

const columns = sql`id, name, description, fields, next_token, catalog_id, workspace_id, num_items, storage_size,
  kept_selections, updated_at`

type CatalogRow = Omit<Catalog, 'storage_size'> & { storage_size: string }

export async function findCatalog(tx: Tx, workspace_id: number, name: string): Promise<Catalog | undefined> {
  const rows = await tx.query<CatalogRow>(sql`
    select ${columns} from catalog where workspace_id = ${workspace_id} and name = ${name}`)
  return rows.map(toCatalog)[0]
}

/** Finds a catalog by its id in the workspace file. */
export async function findCatalogById(tx: Tx, workspace_id: number, id: string): Promise<Catalog | undefined> {
  const rows = await tx.query<CatalogRow>(sql`
    select ${columns} from catalog where workspace_id = ${workspace_id} and id = ${id}`)
  return rows.map(toCatalog)[0]
}

/** Finds a catalog and locks it: no other transaction changes or deletes it or writes its items until this one ends. */
export async function lockCatalog(tx: Tx, workspace_id: number, name: string): Promise<Catalog | undefined> {
  const rows = await tx.query<CatalogRow>(sql`
    select ${columns} from catalog where workspace_id = ${workspace_id} and name = ${name} for update`)
  return rows.map(toCatalog)[0]
}

/** Lists the catalogs of a workspace, oldest first. */
export async function listCatalogs(tx: Tx, workspace_id: number): Promise<Catalog[]> {
  const rows = await tx.query<CatalogRow>(sql`
    select ${columns} from catalog where workspace_id = ${workspace_id} order by catalog_id`)
  return rows.map(toCatalog)
}

export async function countCatalogs(tx: Tx, workspace_id: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from catalog where workspace_id = ${workspace_id}`)
  return row!.count
}

function toCatalog(row: CatalogRow): Catalog {
  return { ...row, storage_size: Number(row.storage_size) }
}

export async function insertCatalogs(
  tx: Tx,
  workspace_id: number,
  definitions: readonly CatalogDefinition[],
  atMs: number,
): Promise<void> {
  const first = await takeIds(tx, 'catalog', definitions.length)
  const rows = definitions.map((definition, i) => ({ ...definition, catalog_id: first + i }))
  await tx.query(sql`
    insert into catalog (catalog_id, workspace_id, id, name, description, fields, next_token, created_at, updated_at)
    select w.catalog_id, ${workspace_id}::int, w.id, w.name, w.description, w.fields, w.next_token,
      ${timestampFromUs(atMs * 1000)}, ${timestampFromUs(atMs * 1000)}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as w (catalog_id int, id text, name text, description text, fields jsonb, next_token int)`)
}

/** Updates definitions, found by their ids. Names do not change. */
export async function updateCatalogs(
  tx: Tx,
  workspace_id: number,
  definitions: readonly CatalogDefinition[],
  atMs: number,
): Promise<void> {
  await tx.query(sql`
    update catalog c set description = w.description, fields = w.fields, next_token = w.next_token,
      updated_at = ${timestampFromUs(atMs * 1000)}
    from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb)
      as w (id text, description text, fields jsonb, next_token int)
    where c.workspace_id = ${workspace_id} and c.id = w.id`)
}

/** Adds to a catalog's counts of items and bytes. The numbers may be negative; null does not change `updated_at`. */
export async function addToCounts(
  tx: Tx,
  { catalog_id }: Catalog,
  more: { items: number; bytes: number },
  atMs: number | null,
): Promise<void> {
  await tx.query(
    prepared(sql`
    update catalog set num_items = num_items + ${more.items}::int, storage_size = storage_size + ${more.bytes}::bigint,
      updated_at = coalesce(${timestampFromUs(atMs === null ? null : atMs * 1000)}, updated_at)
    where catalog_id = ${catalog_id}`),
  )
}

/** Deletes a catalog; a cleanup deletes its items later. Returns false when there is none with this id. */
export async function deleteCatalog(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const [deleted] = await tx.query<{ catalog_id: number; name: string }>(sql`
    delete from catalog where workspace_id = ${workspace_id} and id = ${id} returning catalog_id, name`)
  if (deleted === undefined) return false
  const { catalog_id, name } = deleted
  await deleteSelections(tx, catalog_id)
  await deleteCleanups(tx, catalog_id)
  await insertCleanup(tx, { catalog_id, token: allItems, workspace_id, name })
  return true
}
