import type { Tx } from '../../base/db/db.ts'
import { isCatalogName } from './read-items.ts'
import type { Item } from './schema.ts'
import { findSelection, listSelected } from './selection-store.ts'

/** Returns the items of a selection; undefined when there is no such selection. */
export async function selectItems(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: string,
): Promise<Item[] | undefined> {
  if (!isCatalogName(catalog) || !isCatalogName(selection)) return undefined
  const stored = await findSelection(tx, workspace_id, catalog, selection)
  return stored && listSelected(tx, workspace_id, catalog, stored)
}
