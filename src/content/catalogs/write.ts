import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { bytesOf, type Change, changed, type Rules, readChange } from './change.ts'
import { type CatalogParts, inCatalog } from './hold.ts'
import { deleteItems, type ItemRow, listItems, upsertItems } from './item-store.ts'
import { type Asked, isName } from './read-items.ts'
import { refusal, refuse, unknown } from './refusals.ts'
import { type ItemFields, itemsMax } from './schema.ts'
import { listSelections } from './selection-store.ts'
import { type Catalog, countItems } from './store.ts'

/**
 * `create` makes items that are not there, `update` changes those that are, `replace` does both. A request about one item says when
 * it is there already or is not; one about several passes such items over (contract 4.9.2).
 */
export type Writing = {
  readonly catalog_name: string
  readonly kind: 'create' | 'update' | 'replace'
  readonly several: boolean
  readonly asked: Asked
}

/** Writes all items of a request, or throws a 400 with everything that is wrong, or a 404. */
export async function writeItems(call: Call, parts: CatalogParts, writing: Writing): Promise<void> {
  const atMs = call.clock.now()
  await inCatalog(call, parts, writing.catalog_name, async (tx, catalog) => {
    const rules = await rulesOf(tx, catalog, writing)
    const changes = writing.asked.items.map(({ id, given }) => {
      return { id, change: readChange(given, rules, writing.kind === 'update') }
    })
    const ids = changes.map(({ id }) => id).filter(isName)
    const stored = new Map((await listItems(tx, catalog, ids)).map(({ item_id, fields }) => [item_id, fields]))
    const rows = settle(catalog, writing, changes, stored)
    if (rows.length === 0) return
    const items = rows.filter(({ item_id }) => !stored.has(item_id)).length
    const bytes = sizeOf(rows) - sizeOf(rows.flatMap(({ item_id }) => rowIn(stored, item_id)))
    await Promise.all([upsertItems(tx, catalog, rows, atMs), countItems(tx, catalog, { items, bytes }, atMs)])
  })
}

type IdChange = { readonly id: string; readonly change: Change }

/** The rows as they are to be written. */
function settle(
  catalog: Catalog,
  { kind, several, asked }: Writing,
  changes: readonly IdChange[],
  stored: ReadonlyMap<string, ItemFields>,
): ItemRow[] {
  const refusals = [...asked.refusals]
  const rows: ItemRow[] = []
  for (const { id, change } of changes) {
    const before = stored.get(id)
    if (kind === 'update' && before === undefined && !several && isName(id)) {
      throw unknown('item-not-found', { item_id: id })
    }
    const problems = new Set(change.problems)
    if (kind === 'create' && before !== undefined && !several) problems.add('item-already-exists')
    const { fields, problem } = changed(kind === 'update' ? before : undefined, change, catalog.fields)
    const passedOver = kind !== 'replace' && (before === undefined) === (kind === 'update')
    if (problem !== undefined && !passedOver) problems.add(problem)
    refusals.push(...[...problems].map((each) => refusal(each, { id })))
    if (!passedOver) rows.push({ item_id: id, fields })
  }
  const more = rows.filter(({ item_id }) => !stored.has(item_id)).length
  if (more > 0 && catalog.num_items + more > itemsMax) refusals.push(refusal('already-reached-catalog-item-limit'))
  if (refusals.length > 0) throw refuse(refusals)
  return rows
}

/** Only a request about one item is told that a text is too long for a selection. */
async function rulesOf(tx: Tx, catalog: Catalog, { several }: Writing): Promise<Rules> {
  const selections = several ? [] : await listSelections(tx, [catalog.catalog_id])
  const filtered = selections.flatMap(({ filters, sort_field }) => [
    ...filters.map(({ field }) => field),
    ...(sort_field === null ? [] : [sort_field]),
  ])
  return { fields: new Map(catalog.fields.map((field) => [field.name, field])), filtered: new Set(filtered) }
}

/** Deletes items; of several those that are there. Throws a 400 with everything that is wrong, or a 404. */
export async function removeItems(
  call: Call,
  parts: CatalogParts,
  { catalog_name, several, asked }: Omit<Writing, 'kind'>,
): Promise<void> {
  const atMs = call.clock.now()
  await inCatalog(call, parts, catalog_name, async (tx, catalog) => {
    if (asked.refusals.length > 0) throw refuse(asked.refusals)
    const ids = asked.items.map(({ id }) => id)
    const rows = await listItems(tx, catalog, ids.filter(isName))
    if (rows.length === 0 && !several) throw unknown('item-not-found', { item_id: ids[0] })
    if (rows.length === 0) return
    const gone = rows.map(({ item_id }) => item_id)
    const less = { items: -rows.length, bytes: -sizeOf(rows) }
    await Promise.all([deleteItems(tx, catalog, gone), countItems(tx, catalog, less, atMs)])
  })
}

function rowIn(stored: ReadonlyMap<string, ItemFields>, item_id: string): ItemRow[] {
  const fields = stored.get(item_id)
  return fields === undefined ? [] : [{ item_id, fields }]
}

function sizeOf(rows: readonly ItemRow[]): number {
  return rows.reduce((sum, { item_id, fields }) => sum + bytesOf(item_id, fields), 0)
}
