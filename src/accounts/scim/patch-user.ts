import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import type { Declared } from '../permissions/declared.ts'
import { change } from './change.ts'
import { refusal } from './failures.ts'
import { applyPatch } from './patch.ts'
import type { ScimParts } from './reply.ts'
import { givenOf, resourceOf } from './user.ts'
import type { GivenUser } from './values.ts'

/** `PATCH /scim/v2/Users/{id}`: changes attributes of an account (RFC 7644, section 3.5.2). Throws 400, 404 and 412. */
export function patchUser(call: Call, request: Request, parts: ScimParts): Promise<ReplyWithHeaders> {
  return change(call, request, parts, (account, declared) => patched(account, declared, request.body, parts))
}

function patched(account: Account, declared: Declared, body: unknown, { publicUrl }: ScimParts): AccountGiven {
  const result = applyPatch(resourceOf(account, declared, publicUrl), body)
  if ('mistake' in result) throw refusal(result.mistake)
  return givenOf(result.resource as GivenUser, declared, account)
}
