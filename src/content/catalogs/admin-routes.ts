import type { Call } from '../../base/call.ts'
import { Failure } from '../../base/errors.ts'
import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { PlanQuery, WorkspaceQuery } from '../../workspace/settings/query-schema.ts'
import { isPlan, selectedId } from '../../workspace/settings/selected.ts'
import { listAdminItems } from './admin-items.ts'
import {
  AdminItemsQuery,
  AdminItemsReply,
  EditItemsBody,
  EditItemsReply,
  ImportBody,
  ImportReply,
  SelectionsReply,
} from './admin-schema.ts'
import { removeField } from './edit-fields.ts'
import { editItems } from './edit-items.ts'
import { createSelection, listCatalogSelections, removeSelection } from './edit-selections.ts'
import { importItems } from './import-items.ts'
import type { CatalogServices } from './locked-catalog.ts'
import { SelectionBody } from './schema.ts'
import { type Catalog, findCatalogById } from './store.ts'
import { unknownCatalog } from './unknown-catalog.ts'

const single = '/admin/catalogs/{id}'
const unknown = { 404: 'There is no catalog with this id, or no such workspace.' } as const
const unknownPart = { 404: 'The catalog has no such field or selection, or there is no such catalog or workspace.' }
const reading = { permission: 'admin', errors: 'standard', ability: 'catalogs.read', refusals: unknown } as const
const editing = { ...reading, ability: 'catalogs.edit' } as const

/** Routes by which administrators work on one catalog: what the public interface does, with an audit row. */
export function adminCatalogRoutes(services: CatalogServices): Route[] {
  return [...itemRoutes(services), ...partRoutes(services)]
}

function itemRoutes(services: CatalogServices): Route[] {
  return [
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${single}/items`,
      summary: 'List the items of a catalog by id.',
      query: AdminItemsQuery,
      reply: { 200: AdminItemsReply },
      handle: async (call, request) => {
        const workspace_id = await selectedId(call, request)
        return listAdminItems({ ...call, workspace_id }, request.params.id!, request.query)
      },
    }),
    defineRoute({
      ...editing,
      method: 'PATCH',
      path: `${single}/items`,
      summary: 'Create, update and delete items of a catalog, all or none.',
      query: WorkspaceQuery,
      body: EditItemsBody,
      refusals: { ...unknown, 412: 'An item was changed or deleted since it was read. Nothing was written.' },
      reply: { 200: EditItemsReply },
      handle: (call, request) =>
        inCatalog(call, request, (own, catalog) => editItems(own, services, { catalog, body: request.body })),
    }),
    defineRoute({
      ...editing,
      method: 'POST',
      path: `${single}/import`,
      summary:
        'Write the items of a part of a CSV file, or plan it: how many are made and replaced, and which lines are refused.',
      query: PlanQuery,
      body: ImportBody,
      reply: { 200: ImportReply },
      handle: (call, request) =>
        inCatalog(call, request, (own, catalog) =>
          importItems(own, services, { catalog, body: request.body, isPlan: isPlan(request) }),
        ),
    }),
  ]
}

function partRoutes(services: CatalogServices): Route[] {
  return [
    defineRoute({
      ...editing,
      method: 'DELETE',
      path: `${single}/fields/{field_name}`,
      summary: 'Delete a field of a catalog and its values.',
      query: WorkspaceQuery,
      refusals: unknownPart,
      reply: { 204: null },
      handle: (call, request) =>
        inCatalog(call, request, async (own, { name }) => {
          await removeField(own, name, request.params.field_name!, services)
          return undefined
        }),
    }),
    defineRoute({
      ...reading,
      method: 'GET',
      path: `${single}/selections`,
      summary: 'List the selections of a catalog.',
      query: WorkspaceQuery,
      reply: { 200: SelectionsReply },
      handle: (call, request) =>
        inCatalog(call, request, async (own, catalog) => ({ selections: await listCatalogSelections(own, catalog) })),
    }),
    defineRoute({
      ...editing,
      method: 'POST',
      path: `${single}/selections`,
      summary: 'Create a selection: a stored query on the items of a catalog.',
      query: WorkspaceQuery,
      body: SelectionBody,
      reply: { 201: SelectionsReply },
      handle: (call, request) =>
        inCatalog(call, request, async (own, catalog) => {
          await createSelection(own, catalog.name, request.body, services)
          return { selections: await listCatalogSelections(own, catalog) }
        }),
    }),
    defineRoute({
      ...editing,
      method: 'DELETE',
      path: `${single}/selections/{selection_name}`,
      summary: 'Delete a selection of a catalog.',
      query: WorkspaceQuery,
      refusals: unknownPart,
      reply: { 204: null },
      handle: (call, request) =>
        inCatalog(call, request, async (own, { name }) => {
          await removeSelection(own, name, request.params.selection_name!, services)
          return undefined
        }),
    }),
  ]
}

/** Calls a verb with the catalog that the path names by its id. Throws 404, and what the verb throws with its sentences as the message. */
async function inCatalog<Reply>(
  call: Call,
  request: Request,
  work: (call: Call, catalog: Catalog) => Promise<Reply>,
): Promise<Reply> {
  const workspace_id = await selectedId(call, request)
  const id = request.params.id!
  const catalog = await findCatalogById(call.db, workspace_id, id)
  if (catalog === undefined) throw unknownCatalog(id)
  try {
    return await work({ ...call, workspace_id }, catalog)
  } catch (error) {
    throw withSentences(error)
  }
}

/** Returns the error of a verb of `/catalogs` for people: `Invalid Request` says nothing, its entries do. */
function withSentences(error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.errors === undefined) return error
  const sentences = error.details.errors.map((entry) => String((entry as { message: unknown }).message))
  return new Failure(error.kind, [...new Set(sentences)].join('. '), error.details, error.cause)
}
