import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { applyChange, type CatalogRules, type ItemChange, itemBytes, readChange } from './item-change.ts'
import { findItemRows, type ItemRow } from './item-store.ts'
import { dropItems, keepItems } from './keep-items.ts'
import { type CatalogServices, withCatalog } from './locked-catalog.ts'
import { type ItemsRequest, isCatalogName } from './read-items.ts'
import { notFoundRefusal, refusal, refuse } from './refusals.ts'
import { type ItemFields, itemsMax } from './schema.ts'
import { listSelections } from './selection-store.ts'
import { addToCounts, type Catalog } from './store.ts'

/**
 * How items are written. `create` creates items that do not exist, `update` changes existing ones, `replace` does both. When an item does
 * not fit the mode, a request for one item is refused, and a request for several items skips it (contract 4.9.2).
 */
export type ItemsWrite = {
  readonly catalog_name: string
  readonly kind: 'create' | 'update' | 'replace'
  readonly several: boolean
  readonly request: ItemsRequest
}

/** Writes all items of a request. Throws a 400 with all refusals, or a 404. */
export async function writeItems(call: Call, services: CatalogServices, write: ItemsWrite): Promise<void> {
  const atMs = call.clock.now()
  await withCatalog(call, services, write.catalog_name, async (tx, catalog) => {
    const rules = await rulesOf(tx, catalog, write)
    const changes = write.request.items.map(({ id, given }) => {
      return { id, change: readChange(given, rules, write.kind === 'update') }
    })
    const ids = changes.map(({ id }) => id).filter(isCatalogName)
    const stored = new Map((await findItemRows(tx, catalog, ids)).map(({ item_id, fields }) => [item_id, fields]))
    const rows = rowsToWrite(catalog, write, changes, stored)
    if (rows.length === 0) return
    const items = rows.filter(({ item_id }) => !stored.has(item_id)).length
    const bytes = rowsBytes(rows) - rowsBytes(rows.flatMap(({ item_id }) => rowIn(stored, item_id)))
    await Promise.all([keepItems(tx, catalog, rows, atMs), addToCounts(tx, catalog, { items, bytes }, atMs)])
  })
}

type IdChange = { readonly id: string; readonly change: ItemChange }

/** Returns the rows to write. Throws a 400 with all refusals, or a 404. */
function rowsToWrite(
  catalog: Catalog,
  { kind, several, request }: ItemsWrite,
  changes: readonly IdChange[],
  stored: ReadonlyMap<string, ItemFields>,
): ItemRow[] {
  const refusals = [...request.refusals]
  const rows: ItemRow[] = []
  for (const { id, change } of changes) {
    const before = stored.get(id)
    if (kind === 'update' && before === undefined && !several && isCatalogName(id)) {
      throw notFoundRefusal('item-not-found', { item_id: id })
    }
    const problems = new Set(change.mistakes.map(({ problem }) => problem))
    if (kind === 'create' && before !== undefined && !several) problems.add('item-already-exists')
    const { fields, problem } = applyChange(kind === 'update' ? before : undefined, change, catalog.fields)
    const isSkipped = kind !== 'replace' && (before === undefined) === (kind === 'update')
    if (problem !== undefined && !isSkipped) problems.add(problem)
    refusals.push(...[...problems].map((each) => refusal(each, { id })))
    if (!isSkipped) rows.push({ item_id: id, fields })
  }
  const more = rows.filter(({ item_id }) => !stored.has(item_id)).length
  if (more > 0 && catalog.num_items + more > itemsMax) refusals.push(refusal('already-reached-catalog-item-limit'))
  if (refusals.length > 0) throw refuse(refusals)
  return rows
}

// Only a request for one item is refused when a text is too long for a selection.

/** Returns the fields of a catalog. With `several`, no text is too long for a selection. */
export async function rulesOf(
  tx: Tx,
  catalog: Catalog,
  { several }: Pick<ItemsWrite, 'several'>,
): Promise<CatalogRules> {
  const selections = several ? [] : await listSelections(tx, [catalog.catalog_id])
  const filtered = selections.flatMap(({ filters, sort_field }) => [
    ...filters.map(({ field }) => field),
    ...(sort_field === null ? [] : [sort_field]),
  ])
  return { fields: new Map(catalog.fields.map((field) => [field.name, field])), filtered: new Set(filtered) }
}

/** Deletes items. A request for several skips those that do not exist. Throws a 400 with all refusals, or a 404. */
export async function removeItems(
  call: Call,
  services: CatalogServices,
  { catalog_name, several, request }: Omit<ItemsWrite, 'kind'>,
): Promise<void> {
  const atMs = call.clock.now()
  await withCatalog(call, services, catalog_name, async (tx, catalog) => {
    if (request.refusals.length > 0) throw refuse(request.refusals)
    const ids = request.items.map(({ id }) => id)
    const rows = await findItemRows(tx, catalog, ids.filter(isCatalogName))
    if (rows.length === 0 && !several) throw notFoundRefusal('item-not-found', { item_id: ids[0] })
    if (rows.length === 0) return
    const deleted = rows.map(({ item_id }) => item_id)
    const less = { items: -rows.length, bytes: -rowsBytes(rows) }
    await Promise.all([dropItems(tx, catalog, deleted), addToCounts(tx, catalog, less, atMs)])
  })
}

function rowIn(stored: ReadonlyMap<string, ItemFields>, item_id: string): ItemRow[] {
  const fields = stored.get(item_id)
  return fields === undefined ? [] : [{ item_id, fields }]
}

/** Returns the bytes of stored items. */
export function rowsBytes(rows: readonly ItemRow[]): number {
  return rows.reduce((sum, { item_id, fields }) => sum + itemBytes(item_id, fields), 0)
}
