import { takeIds } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { bucketsOf } from '../../people/identity/person.ts'
import type { Field } from './schema.ts'

/** A catalog as a workspace file knows it. */
export type Definition = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly fields: readonly Field[]
  /** What the next field's token is. */
  readonly next_token: number
}

export type Catalog = Definition & {
  readonly catalog_id: number
  readonly workspace_id: number
  readonly num_items: number
  readonly storage_size: number
  readonly updated_at: Date
}

/** All items of a catalog are in this bucket, which everybody knows who knows the catalog's name. */
export function bucketOf(workspace_id: number, name: string): number {
  return bucketsOf(workspace_id, 'catalog', name).bucket
}

type CatalogRow = Omit<Catalog, 'storage_size'> & { storage_size: string }

export async function findCatalog(tx: Tx, workspace_id: number, name: string): Promise<Catalog | undefined> {
  const rows = await tx.query<CatalogRow>(sql`
    select id, name, description, fields, next_token, catalog_id, workspace_id, num_items, storage_size, updated_at
    from catalog where workspace_id = ${workspace_id} and name = ${name}`)
  return rows.map(catalogOf)[0]
}

/** The catalog as it is now. It stays so, and there, and nobody else writes to its items, until the transaction has ended. */
export async function lockCatalog(tx: Tx, workspace_id: number, name: string): Promise<Catalog | undefined> {
  const rows = await tx.query<CatalogRow>(sql`
    select id, name, description, fields, next_token, catalog_id, workspace_id, num_items, storage_size, updated_at
    from catalog where workspace_id = ${workspace_id} and name = ${name} for update`)
  return rows.map(catalogOf)[0]
}

/** Oldest first. */
export async function listCatalogs(tx: Tx, workspace_id: number): Promise<Catalog[]> {
  const rows = await tx.query<CatalogRow>(sql`
    select id, name, description, fields, next_token, catalog_id, workspace_id, num_items, storage_size, updated_at
    from catalog where workspace_id = ${workspace_id} order by catalog_id`)
  return rows.map(catalogOf)
}

export async function countCatalogs(tx: Tx, workspace_id: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from catalog where workspace_id = ${workspace_id}`)
  return row!.count
}

function catalogOf(row: CatalogRow): Catalog {
  return { ...row, storage_size: Number(row.storage_size) }
}

export async function insertCatalogs(
  tx: Tx,
  workspace_id: number,
  definitions: readonly Definition[],
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

/** IdentityChanges everything of definitions but names; ids say which they are. */
export async function updateCatalogs(
  tx: Tx,
  workspace_id: number,
  definitions: readonly Definition[],
  atMs: number,
): Promise<void> {
  await tx.query(sql`
    update catalog c set description = w.description, fields = w.fields, next_token = w.next_token,
      updated_at = ${timestampFromUs(atMs * 1000)}
    from jsonb_to_recordset(${JSON.stringify(definitions)}::jsonb)
      as w (id text, description text, fields jsonb, next_token int)
    where c.workspace_id = ${workspace_id} and c.id = w.id`)
}

/** Makes true what is told of a catalog's items, after they have become so many more (or fewer), with so many more bytes. */
export async function countItems(
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

/** Takes a catalog away from everybody; its items are left to be cleared. False when there is none with this id. */
export async function deleteCatalog(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const [gone] = await tx.query<{ catalog_id: number; name: string }>(sql`
    delete from catalog where workspace_id = ${workspace_id} and id = ${id} returning catalog_id, name`)
  if (gone === undefined) return false
  const { catalog_id, name } = gone
  await tx.query(sql`delete from catalog_selection where catalog_id = ${catalog_id}`)
  await tx.query(sql`delete from catalog_remains where catalog_id = ${catalog_id}`)
  await insertRemains(tx, { catalog_id, token: wholeCatalog, workspace_id, name })
  return true
}

/** What is gone for everybody and still in items: the values of a field, or all items of a catalog. */
export type Remains = {
  readonly catalog_id: number
  readonly token: string
  readonly workspace_id: number
  readonly name: string
}

/** Stands for a whole catalog where the token of a field would be. */
export const wholeCatalog = ''

export async function insertRemains(tx: Tx, { catalog_id, token, workspace_id, name }: Remains): Promise<void> {
  await tx.query(sql`
    insert into catalog_remains (catalog_id, token, workspace_id, name)
    values (${catalog_id}, ${token}, ${workspace_id}, ${name})`)
}

export function listRemains(tx: Tx): Promise<Remains[]> {
  return tx.query<Remains>(sql`select catalog_id, token, workspace_id, name from catalog_remains order by catalog_id`)
}

export async function deleteRemains(tx: Tx, { catalog_id, token }: Remains): Promise<void> {
  await tx.query(sql`delete from catalog_remains where catalog_id = ${catalog_id} and token = ${token}`)
}
