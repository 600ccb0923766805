import type { Db } from '../../base/db/db.ts'
import { allItems, type CatalogCleanup, deleteCleanup, listCleanups } from './cleanup-store.ts'
import { itemBytes } from './item-change.ts'
import { deleteItems, listItemIds, listItemsAfter, removeFieldValues } from './item-store.ts'
import { addToCounts, lockCatalog } from './store.ts'

/** The most items of one transaction. Writers of the catalog wait for at most one page. */
const pageMax = 1_000

/**
 * Deletes the items of deleted catalogs and the values of deleted fields, page by page. After a kill, the next run continues. No such rows
 * are added meanwhile: a writer of items locks the catalog and finds either no catalog or only its remaining fields. Stops after a page
 * when `stopping` is aborted.
 */
export async function cleanUpCatalogs(db: Db, stopping?: AbortSignal): Promise<void> {
  for (const cleanup of await listCleanups(db)) {
    await (cleanup.token === allItems ? deleteAllItems(db, cleanup, stopping) : removeValues(db, cleanup, stopping))
    if (stopping?.aborted) return
    await deleteCleanup(db, cleanup)
  }
}

async function deleteAllItems(db: Db, cleanup: CatalogCleanup, stopping?: AbortSignal): Promise<void> {
  for (let found = pageMax; found === pageMax && !stopping?.aborted; ) {
    found = await db.transaction(async (tx) => {
      const ids = await listItemIds(tx, cleanup, pageMax)
      await deleteItems(tx, cleanup, ids)
      // Another process may have deleted some of them and stopped, so the count of deleted rows may be too low.
      return ids.length
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
