import type { Call } from '../../base/call.ts'
import { ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { getAccount } from '../accounts/accounts.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { etagOf, matchesIfNoneMatch } from './etag.ts'
import { type ScimServices, userReply } from './reply.ts'
import { readProjectionQuery } from './search-request.ts'

/** Reads an account: `GET /scim/v2/Users/{id}` (specification 4.10). Returns 304 when `If-None-Match` has its version. Throws 404. */
export async function readUserById(
  { db }: Call,
  { params, query, headers }: Request,
  services: ScimServices,
): Promise<ReplyWithHeaders> {
  const projection = readProjectionQuery(query)
  const account = await getAccount(db, params.id!)
  if (matchesIfNoneMatch(account, headers['if-none-match']))
    return new ReplyWithHeaders(undefined, { ETag: etagOf(account) }, 304)
  return userReply(account, await readDeclared(db), projection, services)
}
