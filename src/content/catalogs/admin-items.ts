import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { contentTag } from '../../base/http/etag.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type AdminItem, adminItemsDefault, adminItemsMax } from './admin-schema.ts'
import { toItem } from './item-change.ts'
import { type DatedItemRow, type ItemRow, listItemsByPrefix } from './item-store.ts'
import { isCatalogName } from './read-items.ts'
import type { Field } from './schema.ts'
import { findCatalogById } from './store.ts'
import { unknownCatalog } from './unknown-catalog.ts'

type AdminItems = { readonly items: AdminItem[]; readonly num_items: number; readonly cursor?: string }

/** Lists a page of items in the order of ids: `GET /admin/catalogs/{id}/items`. Throws 400 and 404. */
export async function listAdminItems({ db, workspace_id }: Call, id: string, query: Query): Promise<AdminItems> {
  const limit = readLimit(query, adminItemsDefault, adminItemsMax)
  const after = readNonEmpty(query, 'cursor') ?? ''
  if (after !== '' && !isCatalogName(after)) throw invalid("'cursor' is not valid")
  const prefix = readNonEmpty(query, 'prefix') ?? ''
  const catalog = await findCatalogById(db, workspace_id, id)
  if (catalog === undefined) throw unknownCatalog(id)
  const { fields, num_items } = catalog
  // No id begins with a text that has other characters.
  const isPossible = prefix === '' || isCatalogName(prefix)
  const rows = isPossible ? await listItemsByPrefix(db, catalog, { prefix, after }, limit + 1) : []
  const page = rows.slice(0, limit)
  const items = page.map((row) => toAdminItem(row, fields))
  return { items, num_items, ...(rows.length > limit && { cursor: page.at(-1)!.item_id }) }
}

/** Returns an item as administrators see it. */
export function toAdminItem(row: DatedItemRow, fields: readonly Field[]): AdminItem {
  const { id: _, ...values } = toItem(row.item_id, row.fields, fields)
  return { id: row.item_id, tag: itemTag(row, fields), updated_at: row.updated_at.toISOString(), fields: values }
}

/** Returns a text that changes with the values of an item. A new field without a value does not change it. */
export function itemTag({ item_id, fields: stored }: ItemRow, fields: readonly Field[]): string {
  const values = fields.map(({ token }) => stored[token] ?? null)
  return contentTag({
    item_id,
    values: fields.flatMap(({ token }, i) => (values[i] === null ? [] : [[token, values[i]]])),
  })
}
