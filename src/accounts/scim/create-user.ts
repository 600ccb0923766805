import type { Call } from '../../base/call.ts'
import { ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { createAccount } from '../accounts/accounts.ts'
import { writeAccounts } from '../accounts/write-accounts.ts'
import { readDeclared, shareDeclared } from '../permissions/declared-store.ts'
import { type ScimServices, userReply } from './reply.ts'
import { toScimFailure } from './scim-failure.ts'
import { projectionFor, readProjectionQuery } from './search-request.ts'
import { readUserName, toAccountGiven, userLocation } from './user.ts'
import { readUser } from './values.ts'

/** Creates an account: `POST /scim/v2/Users` (specification 4.10). Throws 409 when its name or its address is taken. */
export async function createUser(
  call: Call,
  { body, query }: Request,
  services: ScimServices,
): Promise<ReplyWithHeaders> {
  const projection = readProjectionQuery(query)
  return writeAccounts(call, services, async (tx) => {
    await shareDeclared(tx)
    const declared = await readDeclared(tx)
    const { defaultDepartment } = declared
    const read = readUser(body, ['userName', 'name', ...(defaultDepartment === undefined ? ['department'] : [])])
    if ('mistake' in read) throw toScimFailure(read.mistake)
    const { enterpriseDepartment } = read
    const isEnterpriseDepartment = enterpriseDepartment !== undefined
    const department = enterpriseDepartment ?? defaultDepartment
    const user = { ...(department !== undefined && { department }), ...read.user }
    const given = {
      ...toAccountGiven({ user, isEnterpriseDepartment }, declared, call.actor),
      user_name: readUserName(user),
    }
    const account = await createAccount(tx, call, given)
    const { body: resource, headers } = userReply(account, declared, projectionFor(body, projection), services)
    return new ReplyWithHeaders(resource, { ...headers, Location: userLocation(account, services.publicUrl) })
  })
}
