import type { Db, Tx } from '../../base/db/db.ts'
import { listItemsAfter } from './item-store.ts'
import { insertSelectionItems } from './selection-item-store.ts'
import { listKeptSelections, listUnfilledCatalogs, setFilled } from './selection-store.ts'
import { type Catalog, lockCatalog } from './store.ts'

/** The most items of one transaction. Writers of the catalog wait for at most one page. */
export const filledItemsMax = 1_000

/**
 * Writes the rows of selections that are not filled, page by page. Writers of items write the rows of such a selection too. After a kill,
 * the next run begins anew and finds some rows written. Stops after a page when `stopping` is aborted.
 */
export async function fillSelections(db: Db, stopping?: AbortSignal): Promise<void> {
  for (const { catalog_id, workspace_id, name } of await listUnfilledCatalogs(db)) {
    // Those that are created meanwhile are filled by the next run.
    const all = await listKeptSelections(db, catalog_id)
    const ids = new Set(all.filter(({ is_filled }) => !is_filled).map(({ selection_id }) => selection_id))
    for (let after: string | undefined = ''; after !== undefined && !stopping?.aborted; ) {
      const from: string = after
      after = await db.transaction(async (tx) => {
        const catalog = await lockCatalog(tx, workspace_id, name)
        return catalog?.catalog_id === catalog_id ? fillPage(tx, catalog, ids, from) : undefined
      })
    }
    if (stopping?.aborted) return
  }
}

/** Fills a new selection at once when its catalog is small. The catalog must be locked. */
export async function fillNewSelection(tx: Tx, catalog: Catalog, selection_id: number): Promise<void> {
  if (catalog.num_items < filledItemsMax) await fillPage(tx, catalog, new Set([selection_id]), '')
}

/** Writes the rows of selections about the next items after an id. Returns the last id; undefined after the last page. */
async function fillPage(
  tx: Tx,
  catalog: Catalog,
  ids: ReadonlySet<number>,
  after: string,
): Promise<string | undefined> {
  const selections = (await listKeptSelections(tx, catalog.catalog_id)).filter((each) => ids.has(each.selection_id))
  if (selections.length === 0) return undefined
  const items = (await listItemsAfter(tx, catalog, after, filledItemsMax)).map(({ item_id }) => item_id)
  await insertSelectionItems(tx, catalog, selections, items)
  if (items.length === filledItemsMax) return items.at(-1)!
  await setFilled(
    tx,
    selections.map(({ selection_id }) => selection_id),
  )
  return undefined
}
