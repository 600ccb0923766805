import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { ImportReply } from './admin-schema.ts'
import { auditTarget, describeDefinition } from './audit-entry.ts'
import { proposeType, readColumns } from './csv-columns.ts'
import { type LineItem, type RefusedLine, readLines } from './csv-items.ts'
import { applyChange } from './item-change.ts'
import { findItemRows, type ItemRow } from './item-store.ts'
import { keepItems } from './keep-items.ts'
import { type CatalogServices, withCatalog, withDefinition } from './locked-catalog.ts'
import { withTokens } from './read-fields.ts'
import { type ImportPart, readImport } from './read-import.ts'
import { refusal, refusalSentence, refuse } from './refusals.ts'
import { fieldsMax, type ItemFields, itemsMax } from './schema.ts'
import { addToCounts, type Catalog, findCatalogById, updateCatalogs } from './store.ts'
import { unknownCatalog } from './unknown-catalog.ts'
import { rowsBytes } from './write-items.ts'

/** Items of one statement. */
const batchItemsMax = 1_000

export type Import = {
  readonly catalog: Pick<Catalog, 'id' | 'name'>
  readonly body: unknown
  readonly isPlan: boolean
}

/**
 * Writes the items of a part of a CSV file: one transaction, with an audit row. Lines that cannot be items are named and not written. A
 * plan answers the same and writes nothing. Throws 400 for a request that cannot be read, and 404.
 */
export async function importItems(
  call: Call,
  services: CatalogServices,
  { catalog: { id, name }, body, isPlan }: Import,
): Promise<ImportReply> {
  const part = readImport(body)
  if (isPlan) {
    return call.db.transaction(
      async (tx) => {
        const catalog = await findCatalogById(tx, call.workspace_id, id)
        if (catalog === undefined) throw unknownCatalog(id)
        return (await readPart(tx, catalog, part, part.madeBefore)).reply
      },
      { settings: readOnlySnapshot },
    )
  }
  const withLock = part.new_fields.length > 0 ? withDefinition : withCatalog
  return withLock(call, services, name, async (tx, catalog) => {
    if (catalog.id !== id) throw unknownCatalog(id)
    const read = await readPart(tx, catalog, part, 0)
    await writePart(tx, call, catalog, part, read)
    return read.reply
  })
}

type ReadPart = {
  readonly reply: ImportReply
  /** The catalog with the fields that the import makes. */
  readonly after: Catalog
  readonly rows: readonly ItemRow[]
  readonly stored: readonly ItemRow[]
}

async function readPart(tx: Tx, catalog: Catalog, part: ImportPart, madeBefore: number): Promise<ReadPart> {
  const { header, records, separator, next_line, first_line, earlier } = part
  const columns = readColumns(header, catalog.fields, part.new_fields)
  const shared = {
    separator,
    header: [...header],
    unknown_columns: columns.unknown.map((name) => ({ name, type: proposeType(header, name, records) })),
    kept_fields: [...columns.absent],
    next_line,
  }
  if (columns.mistakes.length > 0) {
    const refused = columns.mistakes.map((message) => ({ line: first_line, message }))
    return { reply: { ...shared, made: 0, replaced: 0, refused, ids: [] }, after: catalog, rows: [], stored: [] }
  }
  const after = withNewFields(catalog, part)
  const rules = { fields: new Map(after.fields.map((field) => [field.name, field])), filtered: new Set<string>() }
  const read = readLines(records, header, rules, earlier)
  const stored = await findItemRows(
    tx,
    catalog,
    read.items.map(({ id }) => id),
  )
  const chosen = chooseRows(after, read.items, stored, itemsMax - catalog.num_items - madeBefore)
  const refused = [...read.refused, ...chosen.refused].toSorted((a, b) => a.line - b.line)
  const { rows, made } = chosen
  const reply = { ...shared, made, replaced: rows.length - made, refused, ids: [...read.ids] }
  return { reply, after, rows, stored: chosen.replaced }
}

/** Adds the fields of a part that the catalog does not have. Throws 400 when it would have too many. */
function withNewFields(catalog: Catalog, { new_fields }: ImportPart): Catalog {
  const known = new Set(catalog.fields.map(({ name }) => name))
  const more = new_fields.filter(({ name }) => !known.has(name))
  if (more.length === 0) return catalog
  if (catalog.fields.length + more.length > fieldsMax) throw refuse([refusal('catalog-exceeds-fields-limit')])
  const { next_token } = catalog
  const fields = [...catalog.fields, ...withTokens(more, next_token)]
  return { ...catalog, fields, next_token: next_token + more.length }
}

type ChosenRows = {
  readonly rows: readonly ItemRow[]
  readonly made: number
  readonly replaced: readonly ItemRow[]
  readonly refused: readonly RefusedLine[]
}

/** Applies the lines to the items, and refuses those that would be too large or too many. `room`: how many can be made. Pure. */
function chooseRows(
  { fields }: Catalog,
  items: readonly LineItem[],
  stored: readonly ItemRow[],
  room: number,
): ChosenRows {
  const before = new Map<string, ItemFields>(stored.map((row) => [row.item_id, row.fields]))
  const rows: ItemRow[] = []
  const replaced: ItemRow[] = []
  const refused: RefusedLine[] = []
  for (const { line, id, change } of items) {
    const had = before.get(id)
    const { fields: values, problem } = applyChange(had, change, fields)
    const isFull = had === undefined && rows.length - replaced.length >= room
    const reason = problem ?? (isFull ? 'already-reached-catalog-item-limit' : undefined)
    if (reason !== undefined) refused.push({ line, message: refusalSentence(reason) })
    else {
      rows.push({ item_id: id, fields: values })
      if (had !== undefined) replaced.push({ item_id: id, fields: had })
    }
  }
  return { rows, made: rows.length - replaced.length, replaced, refused }
}

async function writePart(
  tx: Tx,
  call: Call,
  catalog: Catalog,
  { first_line, next_line }: ImportPart,
  { reply, after, rows, stored }: ReadPart,
): Promise<void> {
  const atMs = call.clock.now()
  const { workspace_id } = catalog
  const target = auditTarget(catalog)
  if (after !== catalog) {
    await updateCatalogs(tx, workspace_id, [after], atMs)
    const states = { before: describeDefinition(catalog), after: describeDefinition(after) }
    await recordAudit(tx, call, { action: 'catalog.update', target, ...states, workspace_id })
  }
  if (rows.length === 0) return
  for (let i = 0; i < rows.length; i += batchItemsMax) {
    await keepItems(tx, after, rows.slice(i, i + batchItemsMax), atMs)
  }
  const { made, replaced, refused } = reply
  await addToCounts(tx, after, { items: made, bytes: rowsBytes(rows) - rowsBytes(stored) }, atMs)
  const written = { made, replaced, refused: refused.length, first_line, next_line }
  await recordAudit(tx, call, { action: 'catalog_items.import', target, after: written, workspace_id })
}
