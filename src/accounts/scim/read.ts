import type { Call } from '../../base/call.ts'
import { ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { getAccount } from '../accounts/accounts.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { projectionOf } from './asked.ts'
import { type ScimParts, shownUser } from './reply.ts'
import { isKnown, tagOf } from './tag.ts'

/** `GET /scim/v2/Users/{id}`: one account (specification 4.10); 304 when `If-None-Match` names its version. Throws 404. */
export async function read(
  { db }: Call,
  { params, query, headers }: Request,
  parts: ScimParts,
): Promise<ReplyWithHeaders> {
  const projection = projectionOf(query)
  const account = await getAccount(db, params.id!)
  if (isKnown(account, headers['if-none-match'])) return new ReplyWithHeaders(undefined, { ETag: tagOf(account) }, 304)
  return shownUser(account, await readDeclared(db), projection, parts)
}
