import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountGiven } from '../accounts/account.ts'
import { changeAccount, getAccount } from '../accounts/accounts.ts'
import type { Declared } from '../permissions/declared.ts'
import { projectionOf } from './asked.ts'
import { type ScimParts, shownUser } from './reply.ts'
import { expectedVersion } from './tag.ts'

/** Changes the account of the path, all or nothing, in turn with every other writer. Throws 404, 412, and whatever `judge` throws. */
export function change(
  call: Call,
  { params, query, headers }: Request,
  parts: ScimParts,
  judge: (account: Account, declared: Declared) => AccountGiven,
): Promise<ReplyWithHeaders> {
  const projection = projectionOf(query)
  return call.db.transaction(async (tx) => {
    const expected = expectedVersion(await getAccount(tx, params.id!), headers['if-match'])
    let known: Declared | undefined
    const judged = (account: Account, declared: Declared) => {
      known = declared
      return judge(account, declared)
    }
    const account = await changeAccount(tx, call, params.id!, judged, expected)
    return shownUser(account, known!, projection, parts)
  })
}
