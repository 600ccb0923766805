import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { hasTag } from '../../base/http/etag.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { itemTag, toAdminItem } from './admin-items.ts'
import type { AdminItem } from './admin-schema.ts'
import { auditTarget } from './audit-entry.ts'
import { describeMistake } from './field-mistakes.ts'
import { applyChange, type CatalogRules, type Mistake, readChange } from './item-change.ts'
import { findItemRows, type ItemRow } from './item-store.ts'
import { dropItems, keepItems } from './keep-items.ts'
import { type CatalogServices, withCatalog } from './locked-catalog.ts'
import { idProblems } from './read-items.ts'
import { type Refusal, refusal, refuse } from './refusals.ts'
import { type ItemFields, itemsMax, itemsPerRequestMax } from './schema.ts'
import { addToCounts, type Catalog } from './store.ts'
import { unknownCatalog } from './unknown-catalog.ts'
import { rowsBytes, rulesOf } from './write-items.ts'

const actions = ['create', 'update', 'delete'] as const
type Action = (typeof actions)[number]

type Edit = {
  readonly id: string
  readonly action: Action
  readonly tag: string | undefined
  readonly given: Readonly<Record<string, unknown>>
}

/**
 * Creates, updates and deletes items: `PATCH /admin/catalogs/{id}/items`. All are written or none. Returns those that exist after it.
 * Throws a 400 with every mistake by item and field, a 404, and a 412 when an item has changed since it was read.
 */
export async function editItems(
  call: Call,
  services: CatalogServices,
  { catalog: { id, name }, body }: { readonly catalog: Pick<Catalog, 'id' | 'name'>; readonly body: unknown },
): Promise<{ items: AdminItem[] }> {
  const edits = readEdits(body)
  return withCatalog(call, services, name, async (tx, catalog) => {
    if (catalog.id !== id) throw unknownCatalog(id)
    const ids = edits.map((edit) => edit.id)
    const stored = new Map((await findItemRows(tx, catalog, ids)).map((row) => [row.item_id, row.fields]))
    const rules = await rulesOf(tx, catalog, { several: false })
    const rows = rowsAfter(catalog, edits, stored, rules)
    refuseChanged(catalog, edits, stored)
    const updated_at = await write(tx, call, catalog, { edits, rows, stored })
    // They are read again: the database has the keys of objects in an order of its own, and the tag is of what is stored.
    const ofIds = new Map((await findItemRows(tx, catalog, ids)).map((row) => [row.item_id, row]))
    const written = rows.map(({ item_id }) => ofIds.get(item_id)!)
    return { items: written.map((row) => toAdminItem({ ...row, updated_at }, catalog.fields)) }
  })
}

/** Reads the body. Throws a 400 with all mistakes. Pure. */
function readEdits(body: unknown): readonly Edit[] {
  const list = isObject(body) ? body.items : undefined
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) throw refuse([refusal('item-array-invalid')])
  if (list.length > itemsPerRequestMax) throw refuse([refusal('request-includes-too-many-items')])
  const seen = new Set<unknown>()
  const refusals: Refusal[] = []
  const edits = list.map(({ id, action, tag, fields = {} }): Edit => {
    if (typeof id !== 'string') refusals.push(refusal('ids-not-strings', { id }))
    else refusals.push(...idProblems(id).map((problem) => refusal(problem, { id })))
    if (seen.has(id)) refusals.push(refusal('ids-not-unique', { id }))
    seen.add(id)
    refusals.push(...shapeProblems({ id, action, tag, fields }))
    const given = isObject(fields) ? fields : {}
    return { id: String(id), action: action as Action, tag: typeof tag === 'string' ? tag : undefined, given }
  })
  if (refusals.length > 0) throw refuse(refusals)
  return edits
}

function shapeProblems({
  id,
  action,
  tag,
  fields,
}: { readonly [member in keyof Edit | 'fields']?: unknown }): Refusal[] {
  const problem = (message: string) => refusal('arbitrary-error', { id }, message)
  return [
    ...(actions.some((each) => each === action) ? [] : [problem("'action' must be create, update or delete")]),
    ...(isObject(fields) ? [] : [problem("'fields' must be an object")]),
    ...(action === 'create' || typeof tag === 'string'
      ? []
      : [problem("'tag' must be given, as the item had it when you read it")]),
  ]
}

/** Returns the created and updated items. Throws a 400 with every mistake. Pure. */
function rowsAfter(
  catalog: Catalog,
  edits: readonly Edit[],
  stored: ReadonlyMap<string, ItemFields>,
  rules: CatalogRules,
): ItemRow[] {
  const refusals: Refusal[] = []
  const rows: ItemRow[] = []
  for (const { id, action, given } of edits) {
    if (action === 'delete') continue
    const before = stored.get(id)
    if (action === 'create' && before !== undefined) refusals.push(refusal('item-already-exists', { id }))
    const change = readChange(given, rules, action === 'update')
    const { fields, problem } = applyChange(action === 'update' ? before : undefined, change, catalog.fields)
    const tooLarge: readonly Mistake[] = problem === undefined || change.mistakes.length > 0 ? [] : [{ problem }]
    for (const mistake of [...change.mistakes, ...tooLarge]) {
      const about = mistake.field === undefined ? { id } : { id, field: mistake.field }
      refusals.push(refusal(mistake.problem, about, describeMistake(mistake, rules.fields)))
    }
    rows.push({ item_id: id, fields })
  }
  const more = countMore(edits, stored)
  if (more > 0 && catalog.num_items + more > itemsMax) refusals.push(refusal('already-reached-catalog-item-limit'))
  if (refusals.length > 0) throw refuse(refusals)
  return rows
}

/** Throws a 412 that names the items that were changed or deleted since they were read. */
function refuseChanged(catalog: Catalog, edits: readonly Edit[], stored: ReadonlyMap<string, ItemFields>): void {
  const errors = edits.flatMap(({ id, action, tag }) => {
    if (action === 'create') return []
    const fields = stored.get(id)
    if (fields === undefined) return [stale(id, 'was deleted')]
    return hasTag(tag!, itemTag({ item_id: id, fields }, catalog.fields)) ? [] : [stale(id, 'has changed')]
  })
  const [first] = errors
  if (first !== undefined) throw new Failure('preconditionFailed', first.message, { errors })
}

function stale(id: string, what: string) {
  const message = `The item ${id} ${what} since you read it. Read it again, and repeat your change.`
  return { id: 'item-changed', message, parameters: ['id'], parameter_values: [id] }
}

type Written = {
  readonly edits: readonly Edit[]
  readonly rows: readonly ItemRow[]
  readonly stored: ReadonlyMap<string, ItemFields>
}

/** Writes the items, the counts and an audit row. Returns the time of the change. */
async function write(tx: Tx, call: Call, catalog: Catalog, { edits, rows, stored }: Written): Promise<Date> {
  const atMs = call.clock.now()
  const idsOf = (action: Action) => edits.filter((edit) => edit.action === action).map(({ id }) => id)
  const [created, updated, deleted] = actions.map(idsOf) as [string[], string[], string[]]
  const before = [...stored].map(([item_id, fields]) => ({ item_id, fields }))
  const counts = { items: created.length - deleted.length, bytes: rowsBytes(rows) - rowsBytes(before) }
  if (rows.length > 0) await keepItems(tx, catalog, rows, atMs)
  if (deleted.length > 0) await dropItems(tx, catalog, deleted)
  await addToCounts(tx, catalog, counts, atMs)
  const after = Object.fromEntries(Object.entries({ created, updated, deleted }).filter(([, ids]) => ids.length > 0))
  const { workspace_id } = catalog
  await recordAudit(tx, call, { action: 'catalog_items.update', target: auditTarget(catalog), after, workspace_id })
  return new Date(atMs)
}

function countMore(edits: readonly Edit[], stored: ReadonlyMap<string, ItemFields>): number {
  return edits.reduce((sum, { id, action }) => {
    return sum + (action === 'create' && !stored.has(id) ? 1 : action === 'delete' && stored.has(id) ? -1 : 0)
  }, 0)
}
