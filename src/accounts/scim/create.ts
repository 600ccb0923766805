import type { Call } from '../../base/call.ts'
import { ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { createAccount } from '../accounts/accounts.ts'
import { readDeclared, shareDeclared } from '../permissions/declared-store.ts'
import { projectionOf } from './asked.ts'
import { refusal } from './failures.ts'
import { type ScimParts, shownUser } from './reply.ts'
import { givenOf, locationOf, userNameOf } from './user.ts'
import { readUser } from './values.ts'

/** `POST /scim/v2/Users`: a new account (specification 4.10). Throws 409 when its name or its address is somebody's. */
export async function create(call: Call, { body, query }: Request, parts: ScimParts): Promise<ReplyWithHeaders> {
  const projection = projectionOf(query)
  return call.db.transaction(async (tx) => {
    await shareDeclared(tx)
    const declared = await readDeclared(tx)
    const { defaultDepartment } = declared
    const read = readUser(body, ['userName', 'name', ...(defaultDepartment === undefined ? ['department'] : [])])
    if ('mistake' in read) throw refusal(read.mistake)
    const user = { ...(defaultDepartment && { department: defaultDepartment }), ...read.user }
    const given = { ...givenOf(user, declared), user_name: userNameOf(user) }
    const account = await createAccount(tx, call, given)
    const { body: shown, headers } = shownUser(account, declared, projection, parts)
    return new ReplyWithHeaders(shown, { ...headers, Location: locationOf(account, parts.publicUrl) })
  })
}
