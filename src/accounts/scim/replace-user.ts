import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { changeUser } from './change-user.ts'
import { lowerAscii } from './filter-match.ts'
import type { ScimServices } from './reply.ts'
import { toScimFailure } from './scim-failure.ts'
import { toAccountGiven } from './user.ts'
import { type GivenUser, readUser } from './values.ts'

/** Replaces an account except its name: `PUT /scim/v2/Users/{id}` (specification 4.10). Throws 400, 404 and 412. */
export function replaceUser(call: Call, request: Request, services: ScimServices): Promise<ReplyWithHeaders> {
  return changeUser(call, request, services, (account, declared) => replacement(account, declared, request.body))
}

/**
 * A default department means that an identity provider is in use, so properties that its requests never have stay as they are. `externalId`
 * and `active` always stay when they are absent: clients of the specification do not know them.
 */
function replacement(account: Account, declared: Declared, body: unknown): AccountGiven {
  const { defaultDepartment } = declared
  const given = readUser(body, ['name', ...(defaultDepartment === undefined ? ['department', 'permissions'] : [])])
  if ('mistake' in given) throw toScimFailure(given.mistake)
  const { userName, permissions } = given.user
  if (userName !== undefined && lowerAscii(userName) !== lowerAscii(account.user_name)) {
    throw toScimFailure({ scimType: 'mutability', detail: 'userName cannot be changed' })
  }
  const { external_id, department, active } = account
  const kept: GivenUser = {
    ...(external_id !== null && { externalId: external_id }),
    ...((department ?? defaultDepartment) !== undefined && { department: department ?? defaultDepartment! }),
    active,
  }
  const after = toAccountGiven({ ...kept, ...given.user }, declared, account)
  return permissions === undefined ? { ...after, permissions: account.permissions } : after
}
