import type { Call } from '../../base/call.ts'
import { newUuid } from '../../base/ids.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { withTokens } from './fields.ts'
import { type CatalogParts, inDefinition } from './hold.ts'
import { readCatalog } from './read-catalog.ts'
import { isName } from './read-items.ts'
import { refusal, refuse } from './refusals.ts'
import { catalogsMax, type Selection } from './schema.ts'
import { listSelections } from './selection-store.ts'
import { type Catalog, countCatalogs, deleteCatalog, findCatalog, insertCatalogs, listCatalogs } from './store.ts'

export type DefineParts = CatalogParts & { serviceName: string }

/** `GET /catalogs`: all catalogs of the workspace, oldest first. */
export async function readCatalogs({ db, workspace_id }: Call, { serviceName }: DefineParts) {
  const catalogs = await listCatalogs(db, workspace_id)
  const selections = await listSelections(
    db,
    catalogs.map(({ catalog_id }) => catalog_id),
  )
  const byCatalog = Map.groupBy(selections, ({ catalog_id }) => catalog_id)
  return { catalogs: catalogs.map((each) => shown(each, byCatalog.get(each.catalog_id) ?? [], serviceName)) }
}

/** `POST /catalogs`. Throws a 400 with everything that is wrong. */
export async function createCatalog(call: Call, body: unknown, { serviceName }: DefineParts) {
  const { db, workspace_id, clock } = call
  const { name, description, fields: given, refusals } = readCatalog(body)
  const next_token = given.length - 1
  const definition = { id: newUuid(), name, description, fields: withTokens(given, 0), next_token }
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const problems = [...refusals]
    if (isName(name) && (await findCatalog(tx, workspace_id, name)))
      problems.push(refusal('catalog-name-already-exists', { name }))
    if ((await countCatalogs(tx, workspace_id)) >= catalogsMax)
      problems.push(refusal('company-size-limit-already-reached'))
    if (problems.length > 0) throw refuse(problems)
    await insertCatalogs(tx, workspace_id, [definition], clock.now())
    const made = await findCatalog(tx, workspace_id, name)
    return { catalogs: [shown(made!, [], serviceName)] }
  })
}

/** `DELETE /catalogs/{catalog_name}`: it is gone at once, with its selections; its items are cleared away later. Throws 404. */
export async function removeCatalog(call: Call, catalog_name: string, parts: CatalogParts): Promise<void> {
  await inDefinition(call, parts, catalog_name, (tx, { id }) => deleteCatalog(tx, call.workspace_id, id))
}

/** A catalog as answers have it (contract 4.9.3). */
function shown(catalog: Catalog, selections: readonly (Selection & { catalog_id?: number })[], serviceName: string) {
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
