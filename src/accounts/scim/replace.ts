import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { change } from './change.ts'
import { refusal } from './failures.ts'
import { folded } from './filter-match.ts'
import type { ScimParts } from './reply.ts'
import { givenOf } from './user.ts'
import { type GivenUser, readUser } from './values.ts'

/** `PUT /scim/v2/Users/{id}`: says an account anew, its name excepted (specification 4.10). Throws 400, 404 and 412. */
export function replace(call: Call, request: Request, parts: ScimParts): Promise<ReplyWithHeaders> {
  return change(call, request, parts, (account, declared) => replaced(account, declared, request.body))
}

/**
 * Where a default department is set an identity provider is in use, and what its requests never have stays as it is. So do, anywhere,
 * what the provider knows the account by, and whether it may sign in: clients of the specification know of neither.
 */
function replaced(account: Account, declared: Declared, body: unknown): AccountGiven {
  const { defaultDepartment } = declared
  const given = readUser(body, ['name', ...(defaultDepartment === undefined ? ['department', 'permissions'] : [])])
  if ('mistake' in given) throw refusal(given.mistake)
  const { userName, permissions } = given.user
  if (userName !== undefined && folded(userName) !== folded(account.user_name)) {
    throw refusal({ scimType: 'mutability', detail: 'userName cannot be changed' })
  }
  const { external_id, department, active } = account
  const stays: GivenUser = {
    ...(external_id !== null && { externalId: external_id }),
    ...((department ?? defaultDepartment) !== undefined && { department: department ?? defaultDepartment! }),
    active,
  }
  const after = givenOf({ ...stays, ...given.user }, declared, account)
  return permissions === undefined ? { ...after, permissions: account.permissions } : after
}
