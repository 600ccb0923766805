import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { changeUser } from './change-user.ts'
import { applyPatch } from './patch.ts'
import type { ScimServices } from './reply.ts'
import { toScimFailure } from './scim-failure.ts'
import { toAccountGiven, toResource } from './user.ts'
import type { GivenUser } from './values.ts'

/** Changes attributes of an account: `PATCH /scim/v2/Users/{id}` (RFC 7644, section 3.5.2). Throws 400, 404 and 412. */
export function patchUser(call: Call, request: Request, services: ScimServices): Promise<ReplyWithHeaders> {
  return changeUser(call, request, services, (account, declared) =>
    patchedAccount(account, declared, request.body, services),
  )
}

function patchedAccount(
  account: Account,
  declared: Declared,
  body: unknown,
  { publicUrl }: ScimServices,
): AccountGiven {
  const result = applyPatch(toResource(account, declared, publicUrl), body)
  if ('mistake' in result) throw toScimFailure(result.mistake)
  return toAccountGiven(result.resource as GivenUser, declared, account)
}
