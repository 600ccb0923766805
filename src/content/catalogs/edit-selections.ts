import type { Call } from '../../base/call.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { auditTarget } from './audit-entry.ts'
import { insertCleanup, selectionToken } from './cleanup-store.ts'
import { fillNewSelection } from './fill-selections.ts'
import { type CatalogServices, withDefinition } from './locked-catalog.ts'
import { isCatalogName } from './read-items.ts'
import { readSelection } from './read-selection.ts'
import { notFoundRefusal, refusal, refuse } from './refusals.ts'
import { type Selection, selectionsMax } from './schema.ts'
import { deleteSelection, insertSelection, listSelections } from './selection-store.ts'
import { type Catalog, updateCatalogs } from './store.ts'

/** Creates a selection: `POST /catalogs/{catalog_name}/selections`. Throws a 400 with all refusals, or a 404. */
export async function createSelection(
  call: Call,
  catalog_name: string,
  body: unknown,
  services: CatalogServices,
): Promise<void> {
  await withDefinition(call, services, catalog_name, async (tx, catalog) => {
    const { selection, refusals } = readSelection(body, catalog.fields)
    const others = await listSelections(tx, [catalog.catalog_id])
    const { name } = selection
    const problems = [...refusals]
    if (others.some((other) => other.name === name)) problems.push(refusal('selection-name-already-exists', { name }))
    if (others.length >= selectionsMax) problems.push(refusal('selection-limit-reached'))
    if (problems.length > 0) throw refuse(problems)
    const selection_id = await insertSelection(tx, catalog.catalog_id, selection, call.clock.now())
    await fillNewSelection(tx, catalog, selection_id)
    await updateCatalogs(tx, catalog.workspace_id, [catalog], call.clock.now())
    const written = { action: 'catalog_selection.create', target: auditTarget(catalog), after: selection }
    await recordAudit(tx, call, { ...written, workspace_id: catalog.workspace_id })
  })
}

/** Lists the selections of a catalog in the order of their names: `GET /admin/catalogs/{id}/selections`. */
export async function listCatalogSelections({ db }: Call, { catalog_id }: Catalog): Promise<Selection[]> {
  return (await listSelections(db, [catalog_id])).map(({ catalog_id: _, ...selection }) => selection)
}

/** Deletes a selection: `DELETE /catalogs/{catalog_name}/selections/{selection_name}`. Throws 404. */
export async function removeSelection(
  call: Call,
  catalog_name: string,
  selection_name: string,
  services: CatalogServices,
): Promise<void> {
  await withDefinition(call, services, catalog_name, async (tx, catalog) => {
    const { catalog_id, workspace_id, name } = catalog
    const selection_id = isCatalogName(selection_name)
      ? await deleteSelection(tx, catalog_id, selection_name)
      : undefined
    if (selection_id === undefined) throw notFoundRefusal('selection-not-found', { selection_name })
    await insertCleanup(tx, { catalog_id, token: selectionToken(selection_id), workspace_id, name })
    await updateCatalogs(tx, workspace_id, [catalog], call.clock.now())
    const before = { name: selection_name }
    const written = { action: 'catalog_selection.delete', target: auditTarget(catalog), before }
    await recordAudit(tx, call, { ...written, workspace_id })
  })
}
