import { askedAddress } from '../../base/http/link-pages.ts'
import { defineRoute, type Route } from '../../base/http/route.ts'
import { type BlocklistServices, blockAttributes } from './block-attributes.ts'
import { type EmptyListServices, emptyListRoutes } from './empty-lists.ts'
import { listAttributes, listEvents, listNames } from './list-names.ts'
import {
  AttributesReply,
  BlocklistBody,
  BlocklistReply,
  CursorQuery,
  EventNamesReply,
  EventsReply,
  NamesQuery,
  ProductsReply,
} from './schema.ts'

export type ListServices = EmptyListServices & BlocklistServices & { readonly config: { readonly publicUrl: string } }

/** Which events, custom attributes and products the workspace knows (contract 10.4). */
export function listRoutes(services: ListServices): Route[] {
  const all = { method: 'GET', errors: 'standard' } as const
  return [
    defineRoute({
      ...all,
      path: '/events/list',
      permission: 'events.list',
      summary: 'List the names of events, 250 on a page',
      query: NamesQuery,
      reply: { 200: EventNamesReply },
      handle: async (call, { query }) => ({ events: await listNames(call, query, 'event') }),
    }),
    defineRoute({
      ...all,
      path: '/events',
      permission: 'events.list',
      summary: 'List events; the header `Link` names the pages before and after',
      query: CursorQuery,
      reply: { 200: EventsReply },
      handle: (call, { query }) => listEvents(call, query),
    }),
    defineRoute({
      ...all,
      path: '/custom_attributes',
      permission: 'custom_attributes.get',
      summary: 'List custom attributes; the header `Link` names the pages before and after',
      query: CursorQuery,
      reply: { 200: AttributesReply },
      handle: (call, { query, headers }) => {
        const origin = askedAddress(headers.host, services.config.publicUrl)
        return listAttributes(call, query, { workspaces: services.workspaces, origin })
      },
    }),
    defineRoute({
      method: 'POST',
      errors: 'standard',
      path: '/custom_attributes/blocklist',
      permission: 'custom_attributes.blocklist',
      summary: 'Do not store some custom attributes any more, or store them again',
      body: BlocklistBody,
      reply: { 200: BlocklistReply },
      handle: (call, { body }) => blockAttributes(call, body, services),
    }),
    defineRoute({
      ...all,
      path: '/purchases/product_list',
      permission: 'purchases.product_list',
      summary: 'List the ids of products, 250 on a page',
      query: NamesQuery,
      reply: { 200: ProductsReply },
      handle: async (call, { query }) => ({ products: await listNames(call, query, 'product') }),
    }),
    ...emptyListRoutes(services),
  ]
}
