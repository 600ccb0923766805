import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { type LinkedPage, readCursor, withLinks } from '../../base/http/link-pages.ts'
import { readDirection, readWhole } from '../../base/http/query.ts'
import type { Query, ReplyWithHeaders } from '../../base/http/route.ts'
import { countNames, listNamePage } from '../../workspace/names/name-store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { countAttributeNames, listAttributeNames } from '../profile/attribute-name-store.ts'
import { typeBits, typesText } from '../profile/attribute-types.ts'
import { arrayItemsMax } from '../values/values.ts'
import { cursorPageMax, type ListedAttribute, type ListedEvent, namesPageMax } from './schema.ts'

/** Lists a page of the names of events or of the ids of products: `/events/list`, `/purchases/product_list` (contract 10.4). */
export function listNames({ db, workspace_id }: Call, query: Query, kind: 'event' | 'product'): Promise<string[]> {
  const direction = readDirection(query, 'asc')
  const offset = readWhole(query, 'page', 0) * namesPageMax
  return listNamePage(db, workspace_id, kind, { direction, limit: namesPageMax, offset })
}

/** Lists a page of events, of which only the names are known: `GET /events`. */
export async function listEvents(
  { db, workspace_id }: Call,
  query: Query,
): Promise<ReplyWithHeaders | { events: ListedEvent[] }> {
  const skip = readListCursor(query)
  const limit = cursorPageMax
  const names = await listNamePage(db, workspace_id, 'event', { direction: 'asc', limit, offset: skip })
  const events = names.map((name) => ({
    name,
    description: null,
    included_in_analytics_report: false,
    status: 'Active' as const,
    tag_names: [],
  }))
  const page: LinkedPage = {
    path: '/events',
    skip,
    count: await countNames(db, workspace_id, 'event'),
    pageMax: cursorPageMax,
  }
  return withLinks({ events }, page)
}

/** Lists a page of custom attributes, of which names and data types are known: `GET /custom_attributes`. */
export async function listAttributes(
  { db, workspace_id }: Call,
  query: Query,
  { workspaces, origin }: { readonly workspaces: Workspaces; readonly origin: string },
): Promise<ReplyWithHeaders | { attributes: ListedAttribute[] }> {
  const skip = readListCursor(query)
  const { blockedAttributes } = workspaces.get(workspace_id)
  const rows = await listAttributeNames(db, workspace_id, { limit: cursorPageMax, offset: skip })
  const attributes = rows.map(({ name, types }) => ({
    array_length: types & typeBits.array ? arrayItemsMax : null,
    data_type: typesText(types),
    description: null,
    name,
    status: blockedAttributes.has(name) ? ('Blocklisted' as const) : ('Active' as const),
    tag_names: [],
  }))
  const page: LinkedPage = {
    path: '/custom_attributes',
    origin,
    skip,
    count: await countAttributeNames(db, workspace_id),
    pageMax: cursorPageMax,
  }
  return withLinks({ attributes }, page)
}

function readListCursor(query: Query): number {
  return readCursor(query, () => invalid('Invalid cursor'))
}
