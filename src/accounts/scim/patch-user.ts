import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountChange } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { changeUser } from './change-user.ts'
import { computeChange } from './compute-change.ts'
import { applyPatch } from './patch.ts'
import type { ScimServices } from './reply.ts'
import { toScimFailure } from './scim-failure.ts'
import { toAccountGiven, toResource } from './user.ts'
import { findRoleName } from './user-roles.ts'
import type { GivenUser } from './values.ts'

/** Changes attributes of an account: `PATCH /scim/v2/Users/{id}` (RFC 7644, section 3.5.2). Throws 400, 404 and 412. */
export function patchUser(call: Call, request: Request, services: ScimServices): Promise<ReplyWithHeaders> {
  return changeUser(call, request, services, (account, declared) =>
    patchedAccount(call, account, declared, request.body, services),
  )
}

function patchedAccount(
  call: Call,
  account: Account,
  declared: Declared,
  body: unknown,
  { publicUrl }: ScimServices,
): AccountChange {
  const stored = toResource(account, declared, publicUrl)
  return computeChange(call, account, body, (passOver) => {
    // An enabled one, so that `active` is false afterwards only when the request has disabled it.
    const options = { passOver, findRole: (text: string) => findRoleName(text, declared) }
    const result = applyPatch(passOver ? { ...stored, active: true } : stored, body, options)
    if ('mistake' in result) throw toScimFailure(result.mistake)
    const { resource, isEnterpriseDepartment } = result
    // Roles that are not there any more were removed.
    const user: GivenUser = { roles: [], ...resource }
    const given = toAccountGiven({ user, isEnterpriseDepartment }, declared, call.actor, account, passOver)
    return { given, isDisabling: user.active === false }
  })
}
