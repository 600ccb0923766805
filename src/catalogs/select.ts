import type { Tx } from '../base/db/db.ts'
import { isName } from './read-items.ts'
import type { Item } from './schema.ts'
import { findSelection, listSelected } from './selection-store.ts'

/** The items that a selection of a catalog selects, for rendering; none when there is no such selection. */
export async function selectItems(tx: Tx, workspace_id: number, catalog: string, selection: string): Promise<Item[]> {
  const asked =
    isName(catalog) && isName(selection) ? await findSelection(tx, workspace_id, catalog, selection) : undefined
  return asked === undefined ? [] : listSelected(tx, workspace_id, catalog, asked)
}
