import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountChange } from '../accounts/account.ts'
import { changeAccount, getAccount } from '../accounts/accounts.ts'
import { writeAccounts } from '../accounts/write-accounts.ts'
import type { Declared } from '../permissions/declared.ts'
import { expectedVersion } from './etag.ts'
import { type ScimServices, userReply } from './reply.ts'
import { projectionFor, readProjectionQuery } from './search-request.ts'

/** Changes the account of the path to what `compute` returns, in one transaction. Throws 404, 412, and what `compute` throws. */
export function changeUser(
  call: Call,
  { params, query, headers, body }: Request,
  services: ScimServices,
  compute: (account: Account, declared: Declared) => AccountChange,
): Promise<ReplyWithHeaders> {
  const projection = projectionFor(body, readProjectionQuery(query))
  return writeAccounts(call, services, async (tx) => {
    const expected = expectedVersion(await getAccount(tx, params.id!), headers['if-match'])
    let known: Declared | undefined
    const changed = (account: Account, declared: Declared) => {
      known = declared
      return compute(account, declared)
    }
    const account = await changeAccount(tx, call, params.id!, changed, expected)
    return userReply(account, known!, projection, services)
  })
}
