import { defineRoute, type Request, type Route } from '../../base/http/route.ts'
import { createCatalog, type DefineParts, readCatalogs, removeCatalog } from './define.ts'
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
import { removeItems, writeItems } from './write.ts'

const done = { message: 'success' } as const
const ofCatalog = ({ params }: Request) => params.catalog_name!
const ofItem = ({ params }: Request) => params.item_id!

/** Everything under `/catalogs` (contract 4.9). */
export function catalogRoutes(parts: DefineParts): Route[] {
  return [...definitionRoutes(parts), ...fieldRoutes(parts), ...itemRoutes(parts), ...bulkRoutes(parts)]
}

function definitionRoutes(parts: DefineParts): Route[] {
  const all = { path: '/catalogs', errors: 'catalog', limit: 'catalogs' } as const
  return [
    defineRoute({
      ...all,
      method: 'GET',
      permission: 'catalogs.get',
      summary: 'All catalogs of the workspace',
      reply: { 200: CatalogsReply },
      handle: (call) => readCatalogs(call, parts),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      permission: 'catalogs.create',
      summary: 'Make a catalog',
      body: CatalogsBody,
      reply: { 201: CatalogsReply },
      handle: (call, { body }) => createCatalog(call, body, parts),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}',
      permission: 'catalogs.delete',
      summary: 'Delete a catalog with its items and selections',
      params: CatalogPath,
      reply: { 200: Done },
      handle: (call, request) => removeCatalog(call, ofCatalog(request), parts).then(() => done),
    }),
  ]
}

function fieldRoutes(parts: DefineParts): Route[] {
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
      handle: (call, request) => addFields(call, ofCatalog(request), request.body, parts).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}/fields/{field_name}',
      permission: 'catalogs.delete_fields',
      summary: 'Take a field with its values out of a catalog',
      params: FieldPath,
      handle: (call, request) =>
        removeField(call, ofCatalog(request), request.params.field_name!, parts).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      path: '/catalogs/{catalog_name}/selections',
      permission: 'catalogs.create_selection',
      summary: 'Make a selection: which items of a catalog, in which order, how many',
      params: CatalogPath,
      body: SelectionBody,
      handle: (call, request) => createSelection(call, ofCatalog(request), request.body, parts).then(() => done),
    }),
    defineRoute({
      ...all,
      method: 'DELETE',
      path: '/catalogs/{catalog_name}/selections/{selection_name}',
      permission: 'catalogs.delete_selection',
      summary: 'Delete a selection',
      params: SelectionPath,
      handle: (call, request) =>
        removeSelection(call, ofCatalog(request), request.params.selection_name!, parts).then(() => done),
    }),
  ]
}

function itemRoutes(parts: DefineParts): Route[] {
  const path = '/catalogs/{catalog_name}/items/{item_id}'
  const all = { path, errors: 'catalog', limit: 'catalog_items', params: ItemPath } as const
  const write = (kind: 'create' | 'update' | 'replace'): Route['handle'] => {
    return async (call, request) => {
      const asked = readItem(request.body, ofItem(request))
      await writeItems(call, parts, { catalog_name: ofCatalog(request), kind, several: false, asked })
      return done
    }
  }
  return [
    defineRoute({
      ...all,
      method: 'GET',
      permission: 'catalogs.get_item',
      summary: 'An item of a catalog',
      reply: { 200: ItemsReply },
      handle: (call, request) => getItem(call, ofCatalog(request), ofItem(request)),
    }),
    defineRoute({
      ...all,
      method: 'POST',
      permission: 'catalogs.create_item',
      summary: 'Make an item',
      body: ItemBody,
      reply: { 201: Done },
      handle: write('create'),
    }),
    defineRoute({
      ...all,
      method: 'PATCH',
      permission: 'catalogs.update_item',
      summary: 'Change the named fields of an item; arrays also by $add and $remove',
      body: ItemBody,
      reply: { 200: Done },
      handle: write('update'),
    }),
    defineRoute({
      ...all,
      method: 'PUT',
      permission: 'catalogs.replace_item',
      summary: 'Make an item, or replace it wholly',
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
        const asked = { items: [{ id: ofItem(request), given: {} }], refusals: [] }
        await removeItems(call, parts, { catalog_name: ofCatalog(request), several: false, asked })
        return done
      },
    }),
  ]
}

function bulkRoutes(parts: DefineParts): Route[] {
  const path = '/catalogs/{catalog_name}/items'
  const all = { path, errors: 'catalog', params: CatalogPath } as const
  const writing = { ...all, limit: 'catalog_items_bulk', body: ItemsBody, reply: { 202: Done } } as const
  const write = (kind: 'create' | 'update' | 'replace'): Route['handle'] => {
    return async (call, request) => {
      const asked = readItems(request.body, kind === 'replace' ? 'ids-not-string' : 'ids-not-strings')
      await writeItems(call, parts, { catalog_name: ofCatalog(request), kind, several: true, asked })
      return done
    }
  }
  return [
    defineRoute({
      ...all,
      method: 'GET',
      limit: 'catalog_items',
      permission: 'catalogs.get_items',
      summary: 'The items of a catalog by id, page by page; `Link` says where the pages beside it are',
      query: ItemsQuery,
      reply: { 200: ItemsReply },
      handle: (call, request) => listItems(call, ofCatalog(request), request.query),
    }),
    defineRoute({
      ...writing,
      method: 'POST',
      permission: 'catalogs.add_items',
      summary: 'Make items; those that are there already stay as they are',
      handle: write('create'),
    }),
    defineRoute({
      ...writing,
      method: 'PATCH',
      permission: 'catalogs.update_items',
      summary: 'Change the named fields of items; those that are not there are passed over',
      handle: write('update'),
    }),
    defineRoute({
      ...writing,
      method: 'PUT',
      permission: 'catalogs.replace_items',
      summary: 'Make items, or replace them wholly',
      handle: write('replace'),
    }),
    defineRoute({
      ...writing,
      method: 'DELETE',
      permission: 'catalogs.delete_items',
      summary: 'Delete items',
      handle: async (call, request) => {
        const asked = readItems(request.body)
        await removeItems(call, parts, { catalog_name: ofCatalog(request), several: true, asked })
        return done
      },
    }),
  ]
}
