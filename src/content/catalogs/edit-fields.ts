import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { auditTarget, describeDefinition } from './audit-entry.ts'
import { insertCleanup } from './cleanup-store.ts'
import { type CatalogServices, withDefinition } from './locked-catalog.ts'
import { readFields, withTokens } from './read-fields.ts'
import { notFoundRefusal, type Refusal, refusal, refuse } from './refusals.ts'
import { fieldsMax, newFieldsMax, type Selection } from './schema.ts'
import { listSelections } from './selection-store.ts'
import { type Catalog, updateCatalogs } from './store.ts'

/** Adds fields: `POST /catalogs/{catalog_name}/fields`. Throws a 400 with all refusals, or a 404. */
export async function addFields(
  call: Call,
  catalog_name: string,
  body: unknown,
  services: CatalogServices,
): Promise<void> {
  await withDefinition(call, services, catalog_name, async (tx, catalog) => {
    const { workspace_id, fields, next_token } = catalog
    const list = isObject(body) ? body.fields : undefined
    const tooMany = { count: newFieldsMax, id: 'request-includes-too-many-fields' } as const
    const taken = fields.map(({ name }) => name)
    const { fields: given, refusals } = readFields(list, tooMany, taken)
    const problems: Refusal[] = [...refusals]
    if (fields.length + given.length > fieldsMax) problems.push(refusal('catalog-exceeds-fields-limit'))
    if (problems.length > 0) throw refuse(problems)
    const more = { fields: [...fields, ...withTokens(given, next_token)], next_token: next_token + given.length }
    await updateCatalogs(tx, workspace_id, [{ ...catalog, ...more }], call.clock.now())
    await auditFields(tx, call, catalog, more.fields)
  })
}

/**
 * Deletes a field: `DELETE /catalogs/{catalog_name}/fields/{field_name}`. Its values disappear at once, and are deleted later. Throws a 400
 * for `id` and for a field that a selection uses, or a 404.
 */
export async function removeField(
  call: Call,
  catalog_name: string,
  field_name: string,
  services: CatalogServices,
): Promise<void> {
  await withDefinition(call, services, catalog_name, async (tx, catalog) => {
    const { workspace_id, catalog_id, name } = catalog
    const field = catalog.fields.find((each) => each.name === field_name)
    if (field === undefined) throw notFoundRefusal('field-not-found', { field_name })
    if (field.name === 'id') throw refuse([refusal('id-not-first-column', { field_name })])
    const users = (await listSelections(tx, [catalog_id])).filter((each) => uses(each, field_name))
    if (users.length > 0) throw refuse(users.map((each) => inUse(field_name, each.name)))
    const fields = catalog.fields.filter((each) => each !== field)
    await updateCatalogs(tx, workspace_id, [{ ...catalog, fields }], call.clock.now())
    await auditFields(tx, call, catalog, fields)
    await insertCleanup(tx, { catalog_id, token: field.token, workspace_id, name })
  })
}

async function auditFields(tx: Tx, call: Call, catalog: Catalog, fields: Catalog['fields']): Promise<void> {
  const { workspace_id } = catalog
  const states = { before: describeDefinition(catalog), after: describeDefinition({ ...catalog, fields }) }
  await recordAudit(tx, call, { action: 'catalog.update', target: auditTarget(catalog), ...states, workspace_id })
}

function uses({ filters, sort_field }: Selection, field_name: string): boolean {
  return sort_field === field_name || filters.some(({ field }) => field === field_name)
}

function inUse(field_name: string, selection_name: string): Refusal {
  const message = `The selection ${selection_name} uses the field; delete that first`
  return refusal('selection-has-invalid-filter', { field_name, selection_name }, message)
}
