import type { Call } from '../../base/call.ts'
import { readCursor, withLinks } from '../../base/http/link-pages.ts'
import type { Query, ReplyWithHeaders } from '../../base/http/route.ts'
import { toItem } from './item-change.ts'
import { findItems, listItemPage } from './item-store.ts'
import { isCatalogName } from './read-items.ts'
import { catalogNotFound, notFoundRefusal, refusal, refuse } from './refusals.ts'
import { type Item, pageItemsMax } from './schema.ts'
import { findCatalog } from './store.ts'

/** Returns an item: `GET /catalogs/{catalog_name}/items/{item_id}`. Throws 404. */
export async function getItem(
  { db, workspace_id }: Call,
  catalog_name: string,
  item_id: string,
): Promise<{ items: Item[] }> {
  const found = await findItems(db, workspace_id, catalog_name, [item_id])
  if (found === undefined) throw catalogNotFound(catalog_name)
  const [item] = found
  if (item === undefined) throw notFoundRefusal('item-not-found', { item_id })
  return { items: [item] }
}

/**
 * Lists a page of items in the order of ids: `GET /catalogs/{catalog_name}/items`. The header `Link` has the pages before and after it.
 * Throws 404.
 */
export async function listItems(
  { db, workspace_id }: Call,
  catalog_name: string,
  query: Query,
): Promise<ReplyWithHeaders | { items: Item[] }> {
  const catalog = isCatalogName(catalog_name) ? await findCatalog(db, workspace_id, catalog_name) : undefined
  if (catalog === undefined) throw catalogNotFound(catalog_name)
  const skip = readCursor(query, (text) => refuse([refusal('invalid-cursor', { cursor: text })]))
  const rows = await listItemPage(db, catalog, skip, pageItemsMax)
  const items = rows.map(({ item_id, fields }) => toItem(item_id, fields, catalog.fields))
  const page = { path: `/catalogs/${catalog_name}/items`, skip, count: catalog.num_items, pageMax: pageItemsMax }
  return withLinks({ items }, page)
}
