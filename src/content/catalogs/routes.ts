import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { type CatalogRouteServices, createCatalog, getCatalog, readCatalogs, removeCatalog } from './catalogs.ts'
import { addFields, removeField } from './edit-fields.ts'
import { createSelection, removeSelection } from './edit-selections.ts'
import { getItem, listItems } from './items.ts'
import { readItem, readItems } from './read-items.ts'
import {
  CatalogPath,
  CatalogsBody,
  CatalogsReply,
  Done,
  FieldPath,
  FieldsBody,
  ItemBody,
  ItemPath,
  ItemsBody,
  ItemsQuery,
  ItemsReply,
  SelectionBody,
  SelectionPath,
} from './schema.ts'
import { removeItems, writeItems } from './write-items.ts'

const done = { message: 'success' } as const
const catalogName = ({ params }: Request) => params.catalog_name!
const itemId = ({ params }: Request) => params.item_id!

/** Everything under `/catalogs` (contract 4.9). */
export function catalogRoutes(services: CatalogRouteServices): Route[] {
  return [...definitionRoutes(services), ...fieldRoutes(services), ...itemRoutes(services), ...bulkRoutes(services)]
}

function definitionRoutes(services: CatalogRouteServices): Route[] {
  const all = { path: '/catalogs', errors: 'catalog', limit: 'catalogs' } as const
  return [
    defineRoute({
      ...all,
      method: 'GET',
      permission: 'catalogs.get',
      summary: 'List the catalogs of the workspace',
      reply: { 200: CatalogsReply },
      handle: (call) => readCatalogs(call, services),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      permission: 'catalogs.create',
      summary: 'Create a catalog',
      body: CatalogsBody,
      reply: { 201: CatalogsReply },
      handle: (call, { body }) => createCatalog(call, body, services),
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: '/catalogs/{catalog_name}',
      permission: 'catalogs.get',
      summary: 'Get a catalog of the workspace',
      params: CatalogPath,
      reply: { 200: CatalogsReply },
      handle: (call, request) => getCatalog(call, catalogName(request), services),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}',
      permission: 'catalogs.delete',
      summary: 'Delete a catalog with its items and selections',
      params: CatalogPath,
      reply: { 200: Done },
      handle: (call, request) => removeCatalog(call, catalogName(request), services).then(() => done),
    }),
  ]
}

function fieldRoutes(services: CatalogRouteServices): Route[] {
  const all = { errors: 'catalog', limit: 'catalog_fields', reply: { 202: Done } } as const
  return [
    defineRoute({
      ...all,
      method: 'POST',
      path: '/catalogs/{catalog_name}/fields',
      permission: 'catalogs.create_fields',
      summary: 'Add fields to a catalog',
      params: CatalogPath,
      body: FieldsBody,
      handle: (call, request) => addFields(call, catalogName(request), request.body, services).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}/fields/{field_name}',
      permission: 'catalogs.delete_fields',
      summary: 'Delete a field of a catalog and its values',
      params: FieldPath,
      handle: (call, request) =>
        removeField(call, catalogName(request), request.params.field_name!, services).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      path: '/catalogs/{catalog_name}/selections',
      permission: 'catalogs.create_selection',
      summary: 'Create a selection: a stored query on the items of a catalog',
      params: CatalogPath,
      body: SelectionBody,
      handle: (call, request) => createSelection(call, catalogName(request), request.body, services).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}/selections/{selection_name}',
      permission: 'catalogs.delete_selection',
      summary: 'Delete a selection',
      params: SelectionPath,
      handle: (call, request) =>
        removeSelection(call, catalogName(request), request.params.selection_name!, services).then(() => done),
    }),
  ]
}

function itemRoutes(services: CatalogRouteServices): Route[] {
  const path = '/catalogs/{catalog_name}/items/{item_id}'
  const all = { path, errors: 'catalog', limit: 'catalog_items', params: ItemPath } as const
  const write = (kind: 'create' | 'update' | 'replace'): Route['handle'] => {
    return async (call, request) => {
      const items = readItem(request.body, itemId(request))
      await writeItems(call, services, { catalog_name: catalogName(request), kind, several: false, request: items })
      return done
    }
  }
  return [
    defineRoute({
      ...all,
      method: 'GET',
      permission: 'catalogs.get_item',
      summary: 'Get an item of a catalog',
      reply: { 200: ItemsReply },
      handle: (call, request) => getItem(call, catalogName(request), itemId(request)),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      permission: 'catalogs.create_item',
      summary: 'Create an item',
      body: ItemBody,
      reply: { 201: Done },
      handle: write('create'),
    }),
    defineRoute({
      ...all,
      method: 'PATCH',
      permission: 'catalogs.update_item',
      summary: 'Update the given fields of an item; $add and $remove change arrays',
      body: ItemBody,
      reply: { 200: Done },
      handle: write('update'),
    }),
    defineRoute({
      ...all,
      method: 'PUT',
      permission: 'catalogs.replace_item',
      summary: 'Create an item, or replace all its fields',
      body: ItemBody,
      reply: { 200: Done },
      handle: write('replace'),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      permission: 'catalogs.delete_item',
      summary: 'Delete an item',
      reply: { 202: Done },
      handle: async (call, request) => {
        const items = { items: [{ id: itemId(request), given: {} }], refusals: [] }
        await removeItems(call, services, { catalog_name: catalogName(request), several: false, request: items })
        return done
      },
    }),
  ]
}

function bulkRoutes(services: CatalogRouteServices): Route[] {
  const path = '/catalogs/{catalog_name}/items'
  const all = { path, errors: 'catalog', params: CatalogPath } as const
  const writing = { ...all, limit: 'catalog_items_bulk', body: ItemsBody, reply: { 202: Done } } as const
  const write = (kind: 'create' | 'update' | 'replace'): Route['handle'] => {
    return async (call, request) => {
      const items = readItems(request.body, kind === 'replace' ? 'ids-not-string' : 'ids-not-strings')
      await writeItems(call, services, { catalog_name: catalogName(request), kind, several: true, request: items })
      return done
    }
  }
  return [
    defineRoute({
      ...all,
      method: 'GET',
      limit: 'catalog_items',
      permission: 'catalogs.get_items',
      summary: 'List the items of a catalog by id; the header `Link` names the pages before and after',
      query: ItemsQuery,
      reply: { 200: ItemsReply },
      handle: (call, request) => listItems(call, catalogName(request), request.query),
    }),
    defineRoute({
      ...writing,
      method: 'POST',
      permission: 'catalogs.add_items',
      summary: 'Create items; existing items do not change',
      handle: write('create'),
    }),
    defineRoute({
      ...writing,
      method: 'PATCH',
      permission: 'catalogs.update_items',
      summary: 'Update the given fields of items; items that do not exist are skipped',
      handle: write('update'),
    }),
    defineRoute({
      ...writing,
      method: 'PUT',
      permission: 'catalogs.replace_items',
      summary: 'Create items, or replace all their fields',
      handle: write('replace'),
    }),
    defineRoute({
      ...writing,
      method: 'DELETE',
      permission: 'catalogs.delete_items',
      summary: 'Delete items',
      handle: async (call, request) => {
        const items = readItems(request.body)
        await removeItems(call, services, { catalog_name: catalogName(request), several: true, request: items })
        return done
      },
    }),
  ]
}
