import type { Call } from '../../base/call.ts'
import type { Request } from '../../base/http/route.ts'
import { countAccounts, listAccounts } from '../accounts/account-store.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { type Search, searchIn, searchOf } from './asked.ts'
import { invalidValue } from './failures.ts'
import { orderOf, whereOf } from './filter-store.ts'
import { project } from './projection.ts'
import { type ScimParts, shownList } from './reply.ts'
import { resourceOf } from './user.ts'

/** `GET /scim/v2/Users`: all accounts, or those that a filter means, page by page (specification 4.10). */
export function list(call: Call, { query }: Request, parts: ScimParts): Promise<object> {
  return find(call, searchOf(query), parts)
}

/** `POST /.search`: the same, asked in a body, where addresses stay out of logs (RFC 7644, section 3.4.3). */
export function search(call: Call, { body }: Request, parts: ScimParts): Promise<object> {
  return find(call, searchIn(body), parts)
}

async function find({ db }: Call, asked: Search, { publicUrl }: ScimParts): Promise<object> {
  const { filter, sortBy, isDescending, startIndex, count, projection } = asked
  const order = orderOf(sortBy, isDescending)
  if (order === undefined) throw invalidValue('sortBy must be an attribute with one value that lists can be sorted by')
  const where = filter && whereOf(filter)
  const total = await countAccounts(db, where)
  if (count === 0 || startIndex > total) return shownList([], total, startIndex)
  const declared = await readDeclared(db)
  const accounts = await listAccounts(db, where, order, { limit: count, offset: startIndex - 1 })
  const shown = accounts.map((account) => project(resourceOf(account, declared, publicUrl), projection))
  return shownList(shown, total, startIndex)
}
