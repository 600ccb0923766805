import type { Call } from '../../base/call.ts'
import { type CatalogParts, inDefinition } from './hold.ts'
import { isName } from './read-items.ts'
import { refusal, refuse, unknown } from './refusals.ts'
import { selectionsMax } from './schema.ts'
import { readSelection } from './selection.ts'
import { deleteSelection, insertSelection, listSelections } from './selection-store.ts'
import { updateCatalogs } from './store.ts'

/** `POST /catalogs/{catalog_name}/selections`. Throws a 400 with everything that is wrong, or a 404. */
export async function createSelection(
  call: Call,
  catalog_name: string,
  body: unknown,
  parts: CatalogParts,
): Promise<void> {
  await inDefinition(call, parts, catalog_name, async (tx, catalog) => {
    const { selection, refusals } = readSelection(body, catalog.fields)
    const others = await listSelections(tx, [catalog.catalog_id])
    const { name } = selection
    const problems = [...refusals]
    if (others.some((other) => other.name === name)) problems.push(refusal('selection-name-already-exists', { name }))
    if (others.length >= selectionsMax) problems.push(refusal('selection-limit-reached'))
    if (problems.length > 0) throw refuse(problems)
    await insertSelection(tx, catalog.catalog_id, selection, call.clock.now())
    await updateCatalogs(tx, catalog.workspace_id, [catalog], call.clock.now())
  })
}

/** `DELETE /catalogs/{catalog_name}/selections/{selection_name}`. Throws 404. */
export async function removeSelection(
  call: Call,
  catalog_name: string,
  selection_name: string,
  parts: CatalogParts,
): Promise<void> {
  await inDefinition(call, parts, catalog_name, async (tx, catalog) => {
    const gone = isName(selection_name) && (await deleteSelection(tx, catalog.catalog_id, selection_name))
    if (!gone) throw unknown('selection-not-found', { selection_name })
    await updateCatalogs(tx, catalog.workspace_id, [catalog], call.clock.now())
  })
}
