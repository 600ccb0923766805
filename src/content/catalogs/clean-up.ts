import type { Db } from '../../base/db/db.ts'
import { allItems, type CatalogCleanup, deleteCleanup, listCleanups, readSelectionToken } from './cleanup-store.ts'
import { itemBytes } from './item-change.ts'
import { listItemIds, listItemsAfter, removeFieldValues } from './item-store.ts'
import { dropItems } from './keep-items.ts'
import { deleteRowsOfSelection } from './selection-item-store.ts'
import { subtractKeptSelection } from './selection-store.ts'
import { addToCounts, lockCatalog } from './store.ts'

/** The most items of one transaction. Writers of the catalog wait for at most one page. */
const pageMax = 1_000

/**
 * Deletes the items of deleted catalogs, the values of deleted fields and the rows of deleted selections, page by page. After a kill, the
 * next run continues. No such rows are added meanwhile: a writer of items locks the catalog and finds either no catalog or only its
 * remaining fields and selections. Stops after a page when `stopping` is aborted.
 */
export async function cleanUpCatalogs(db: Db, stopping?: AbortSignal): Promise<void> {
  for (const cleanup of await listCleanups(db)) {
    const selection_id = readSelectionToken(cleanup.token)
    if (cleanup.token === allItems) await deleteAllItems(db, cleanup, stopping)
    else if (selection_id === undefined) await removeValues(db, cleanup, stopping)
    else await deleteSelectionRows(db, cleanup, selection_id, stopping)
    if (stopping?.aborted) return
    await deleteCleanup(db, cleanup)
  }
}

async function deleteAllItems(db: Db, cleanup: CatalogCleanup, stopping?: AbortSignal): Promise<void> {
  for (let found = pageMax; found === pageMax && !stopping?.aborted; ) {
    found = await db.transaction(async (tx) => {
      const ids = await listItemIds(tx, cleanup, pageMax)
      await dropItems(tx, cleanup, ids)
      // Another process may have deleted some of them and stopped, so the count of deleted rows may be too low.
      return ids.length
    })
  }
}

/** Deletes the rows of a deleted selection, and with the last of them the cleanup. */
async function deleteSelectionRows(
  db: Db,
  cleanup: CatalogCleanup,
  selection_id: number,
  stopping?: AbortSignal,
): Promise<void> {
  for (let deleted = pageMax; deleted === pageMax && !stopping?.aborted; ) {
    deleted = await db.transaction(async (tx) => {
      const catalog = await lockCatalog(tx, cleanup.workspace_id, cleanup.name)
      // The catalog was deleted meanwhile. Then a cleanup of all its items follows, which deletes these rows too.
      if (catalog?.catalog_id !== cleanup.catalog_id) return 0
      const count = await deleteRowsOfSelection(tx, catalog, selection_id, pageMax)
      // Another process may have been faster.
      if (count < pageMax && (await deleteCleanup(tx, cleanup))) await subtractKeptSelection(tx, catalog.catalog_id)
      return count
    })
  }
}

async function removeValues(
  db: Db,
  { catalog_id, token, workspace_id, name }: CatalogCleanup,
  stopping?: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined && !stopping?.aborted; ) {
    const from: string = after
    after = await db.transaction(async (tx) => {
      const catalog = await lockCatalog(tx, workspace_id, name)
      // The catalog was deleted meanwhile. Then a cleanup of all its items follows. A new catalog with this name has no such values.
      if (catalog?.catalog_id !== catalog_id) return undefined
      const rows = await listItemsAfter(tx, catalog, from, pageMax)
      const withValue = rows.filter(({ fields }) => Object.hasOwn(fields, token))
      if (withValue.length > 0) {
        const bytes = withValue.reduce((sum, { item_id, fields: { [token]: _, ...rest }, fields }) => {
          return sum + itemBytes(item_id, rest) - itemBytes(item_id, fields)
        }, 0)
        await removeFieldValues(
          tx,
          catalog,
          withValue.map(({ item_id }) => item_id),
          token,
        )
        await addToCounts(tx, catalog, { items: 0, bytes }, null)
      }
      return rows.length === pageMax ? rows.at(-1)!.item_id : undefined
    })
  }
}
