import type { Call } from '../../base/call.ts'
import type { Request } from '../../base/http/route.ts'
import { countAccounts, listAccounts } from '../accounts/account-store.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { filterToSql, sortToSql } from './filter-store.ts'
import { project } from './projection.ts'
import { listReply, type ScimServices } from './reply.ts'
import { invalidValue } from './scim-failure.ts'
import { readSearchBody, readSearchQuery, type ScimSearch } from './search-request.ts'
import { toResource } from './user.ts'

/** Lists all accounts, or those that match a filter, in pages: `GET /scim/v2/Users` (specification 4.10). */
export function listUsers(call: Call, { query }: Request, services: ScimServices): Promise<object> {
  return find(call, readSearchQuery(query), services)
}

/** Lists accounts for a request with a body: `POST /.search` (RFC 7644, section 3.4.3). So addresses are not logged as parts of URLs. */
export function searchUsers(call: Call, { body }: Request, services: ScimServices): Promise<object> {
  return find(call, readSearchBody(body), services)
}

async function find({ db }: Call, request: ScimSearch, { publicUrl }: ScimServices): Promise<object> {
  const { filter, sortBy, isDescending, startIndex, count, projection } = request
  const order = sortToSql(sortBy, isDescending)
  if (order === undefined) throw invalidValue('sortBy must be an attribute with one value that lists can be sorted by')
  const where = filter && filterToSql(filter)
  const total = await countAccounts(db, where)
  if (count === 0 || startIndex > total) return listReply([], total, startIndex)
  const declared = await readDeclared(db)
  const accounts = await listAccounts(db, where, order, { limit: count, offset: startIndex - 1 })
  const resources = accounts.map((account) => project(toResource(account, declared, publicUrl), projection))
  return listReply(resources, total, startIndex)
}
