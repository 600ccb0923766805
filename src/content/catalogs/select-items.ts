import type { Tx } from '../../base/db/db.ts'
import { isCatalogName } from './read-items.ts'
import type { Item } from './schema.ts'
import { listSelectionItems } from './selection-item-store.ts'
import { findSelection, listSelected } from './selection-store.ts'

/**
 * Returns the items of a selection; undefined when there is no such selection. It reads only what it returns, also in a large catalog.
 * A selection that is not filled reads all items, and so does one that returns an item with a very long text in the field it sorts by.
 */
export async function selectItems(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: string,
): Promise<Item[] | undefined> {
  if (!isCatalogName(catalog) || !isCatalogName(selection)) return undefined
  const stored = await findSelection(tx, workspace_id, catalog, selection)
  if (stored === undefined) return undefined
  const items = stored.is_filled ? await listSelectionItems(tx, workspace_id, catalog, stored) : undefined
  return items ?? listSelected(tx, workspace_id, catalog, stored)
}
