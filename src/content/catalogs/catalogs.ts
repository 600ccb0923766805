import type { Call } from '../../base/call.ts'
import type { Db } from '../../base/db/db.ts'
import { newUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { auditTarget, describeDefinition } from './audit-entry.ts'
import { type CatalogServices, withDefinition } from './locked-catalog.ts'
import { readCatalog } from './read-catalog.ts'
import { withTokens } from './read-fields.ts'
import { isCatalogName } from './read-items.ts'
import { catalogNotFound, refusal, refuse } from './refusals.ts'
import { catalogsMax, type Selection } from './schema.ts'
import { listSelections } from './selection-store.ts'
import { type Catalog, countCatalogs, deleteCatalog, findCatalog, insertCatalogs, listCatalogs } from './store.ts'

export type CatalogRouteServices = CatalogServices & { serviceName: string }

/** Lists all catalogs of the workspace, oldest first: `GET /catalogs`. */
export async function readCatalogs({ db, workspace_id }: Call, { serviceName }: CatalogRouteServices) {
  return toReplies(db, await listCatalogs(db, workspace_id), serviceName)
}

/** Returns one catalog in the same shape: `GET /catalogs/{catalog_name}`. Throws 404. */
export async function getCatalog({ db, workspace_id }: Call, name: string, { serviceName }: CatalogRouteServices) {
  const catalog = isCatalogName(name) ? await findCatalog(db, workspace_id, name) : undefined
  if (catalog === undefined) throw catalogNotFound(name)
  return toReplies(db, [catalog], serviceName)
}

/** Creates a catalog: `POST /catalogs`. Throws a 400 with all refusals. */
export async function createCatalog(call: Call, body: unknown, { serviceName }: CatalogRouteServices) {
  const { db, workspace_id, clock } = call
  const { name, description, fields: given, refusals } = readCatalog(body)
  const next_token = given.length - 1
  const definition = { id: newUuid(), name, description, fields: withTokens(given, 0), next_token }
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const problems = [...refusals]
    if (isCatalogName(name) && (await findCatalog(tx, workspace_id, name)))
      problems.push(refusal('catalog-name-already-exists', { name }))
    if ((await countCatalogs(tx, workspace_id)) >= catalogsMax)
      problems.push(refusal('company-size-limit-already-reached'))
    if (problems.length > 0) throw refuse(problems)
    await insertCatalogs(tx, workspace_id, [definition], clock.now())
    const after = describeDefinition(definition)
    await recordAudit(tx, call, { action: 'catalog.create', target: auditTarget(definition), after, workspace_id })
    const made = await findCatalog(tx, workspace_id, name)
    return { catalogs: [toReply(made!, [], serviceName)] }
  })
}

/** Deletes a catalog with its selections: `DELETE /catalogs/{catalog_name}`. A job deletes its items later. Throws 404. */
export async function removeCatalog(call: Call, catalog_name: string, services: CatalogServices): Promise<void> {
  await withDefinition(call, services, catalog_name, async (tx, catalog) => {
    const { workspace_id } = call
    await deleteCatalog(tx, workspace_id, catalog.id)
    const before = describeDefinition(catalog)
    await recordAudit(tx, call, { action: 'catalog.delete', target: auditTarget(catalog), before, workspace_id })
  })
}

async function toReplies(db: Db, catalogs: readonly Catalog[], serviceName: string) {
  const selections = await listSelections(
    db,
    catalogs.map(({ catalog_id }) => catalog_id),
  )
  const byCatalog = Map.groupBy(selections, ({ catalog_id }) => catalog_id)
  return { catalogs: catalogs.map((each) => toReply(each, byCatalog.get(each.catalog_id) ?? [], serviceName)) }
}

/** A catalog in answers (contract 4.9.3). */
function toReply(catalog: Catalog, selections: readonly (Selection & { catalog_id?: number })[], serviceName: string) {
  const { description, fields, name, num_items, storage_size, updated_at } = catalog
  const listed = selections.map(({ catalog_id: _, ...selection }) => selection)
  return {
    description,
    fields: fields.map((field) => ({ name: field.name, token: field.token, type: field.type })),
    name,
    source: serviceName.charAt(0).toUpperCase() + serviceName.slice(1),
    num_items,
    storage_size,
    selections_size: listed.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0),
    updated_at: updated_at.toISOString().replace('Z', '+00:00'),
    selections: listed,
  }
}
