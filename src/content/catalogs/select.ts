import type { Tx } from '../../base/db/db.ts'
import { isName } from './read-items.ts'
import type { Item } from './schema.ts'
import { findSelection, listSelected } from './selection-store.ts'

/** The items that a selection of a catalog selects, for rendering; undefined when there is no such selection. */
export async function selectItems(
  tx: Tx,
  workspace_id: number,
  catalog: string,
  selection: string,
): Promise<Item[] | undefined> {
  if (!isName(catalog) || !isName(selection)) return undefined
  const asked = await findSelection(tx, workspace_id, catalog, selection)
  return asked && listSelected(tx, workspace_id, catalog, asked)
}
