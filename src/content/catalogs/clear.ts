import type { Db } from '../../base/db/db.ts'
import { bytesOf } from './change.ts'
import { clearField, deleteItems, listAfter, listIds } from './item-store.ts'
import { countItems, deleteRemains, listRemains, lockCatalog, type Remains, wholeCatalog } from './store.ts'

/** Items cleared in one transaction: nobody waits long for a page. */
const pageMax = 1_000

/**
 * Clears away what is left of deleted catalogs and fields, page by page; after a kill it goes on. Nobody adds to it: whoever writes
 * items holds their catalog, which is gone, or knows its fields as they are. Leaves off after a page when `stopping`.
 */
export async function clearRemains(db: Db, stopping?: AbortSignal): Promise<void> {
  for (const remains of await listRemains(db)) {
    await (remains.token === wholeCatalog ? clearItems(db, remains, stopping) : clearValues(db, remains, stopping))
    if (stopping?.aborted) return
    await deleteRemains(db, remains)
  }
}

async function clearItems(db: Db, remains: Remains, stopping?: AbortSignal): Promise<void> {
  for (let found = pageMax; found === pageMax && !stopping?.aborted; ) {
    found = await db.transaction(async (tx) => {
      const ids = await listIds(tx, remains, pageMax)
      await deleteItems(tx, remains, ids)
      // Some of them may have been deleted by another process meanwhile, which need not live to delete the rest.
      return ids.length
    })
  }
}

async function clearValues(
  db: Db,
  { catalog_id, token, workspace_id, name }: Remains,
  stopping?: AbortSignal,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined && !stopping?.aborted; ) {
    const from: string = after
    after = await db.transaction(async (tx) => {
      const catalog = await lockCatalog(tx, workspace_id, name)
      // Another one of this name has nothing of it, and what is left of a deleted one goes as a whole.
      if (catalog?.catalog_id !== catalog_id) return undefined
      const rows = await listAfter(tx, catalog, from, pageMax)
      const having = rows.filter(({ fields }) => Object.hasOwn(fields, token))
      if (having.length > 0) {
        const bytes = having.reduce((sum, { item_id, fields: { [token]: _, ...rest }, fields }) => {
          return sum + bytesOf(item_id, rest) - bytesOf(item_id, fields)
        }, 0)
        await clearField(
          tx,
          catalog,
          having.map(({ item_id }) => item_id),
          token,
        )
        await countItems(tx, catalog, { items: 0, bytes }, null)
      }
      return rows.length === pageMax ? rows.at(-1)!.item_id : undefined
    })
  }
}
