import type { Tx } from '../../base/db/db.ts'
import type { CatalogCleanup } from './cleanup-store.ts'
import { deleteItems, type ItemRow, upsertItems } from './item-store.ts'
import { deleteSelectionItems, insertSelectionItems } from './selection-item-store.ts'
import { listKeptSelections } from './selection-store.ts'
import type { Catalog } from './store.ts'

/** Inserts or replaces items, with their rows of selections. The catalog must be locked. */
export async function keepItems(tx: Tx, catalog: Catalog, items: readonly ItemRow[], atMs: number): Promise<void> {
  await upsertItems(tx, catalog, items, atMs)
  if (catalog.kept_selections === 0) return
  const ids = items.map(({ item_id }) => item_id)
  const [selections] = await Promise.all([
    listKeptSelections(tx, catalog.catalog_id),
    deleteSelectionItems(tx, catalog, ids),
  ])
  await insertSelectionItems(tx, catalog, selections, ids)
}

/** Deletes items, with their rows of selections. The catalog must be locked, or deleted. */
export async function dropItems(tx: Tx, catalog: Catalog | CatalogCleanup, ids: readonly string[]): Promise<void> {
  await deleteItems(tx, catalog, ids)
  if (!('kept_selections' in catalog) || catalog.kept_selections > 0) await deleteSelectionItems(tx, catalog, ids)
}
