import type { Call } from '../../base/call.ts'
import { type Query, ReplyWithHeaders } from '../../base/http/route.ts'
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
  const skip = readCursor(query)
  const rows = await listItemPage(db, catalog, skip, pageItemsMax)
  const items = rows.map(({ item_id, fields }) => toItem(item_id, fields, catalog.fields))
  const links: string[] = []
  if (skip > 0) links.push(linkTo(catalog_name, previousSkip(skip, catalog.num_items), 'prev'))
  if (skip + pageItemsMax < catalog.num_items) links.push(linkTo(catalog_name, skip + pageItemsMax, 'next'))
  const hasLinks = catalog.num_items > pageItemsMax && links.length > 0
  return hasLinks ? new ReplyWithHeaders({ items }, { Link: links.join(',') }) : { items }
}

/** The previous page of a page beyond the end is the last one. */
function previousSkip(skip: number, count: number): number {
  const end = Math.ceil(count / pageItemsMax) * pageItemsMax
  return Math.max(0, Math.min(skip, end) - pageItemsMax)
}

const cursorForm = /^skip:(\d{1,9})$/

/** Reads how many items to skip: base64 of `skip:N`, with or without padding. */
function readCursor(query: Query): number {
  const given = query.cursor ?? []
  const [text = ''] = given
  if (text === '' && given.length <= 1) return 0
  const skip = cursorForm.exec(Buffer.from(text, 'base64').toString('latin1'))?.[1]
  const cursor = cursorOf(`skip:${skip}`)
  if (given.length > 1 || skip === undefined || ![cursor, cursor.replace(/=+$/, '')].includes(text)) {
    throw refuse([refusal('invalid-cursor', { cursor: text })])
  }
  return Number(skip)
}

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64')
}

function linkTo(catalog_name: string, skip: number, relation: 'prev' | 'next'): string {
  return `</catalogs/${catalog_name}/items?cursor=${cursorOf(`skip:${skip}`)}>; rel="${relation}"`
}
