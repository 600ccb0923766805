import type { Call } from '../../base/call.ts'
import type { Request } from '../../base/http/route.ts'
import { getAccount, removeAccount } from '../accounts/accounts.ts'
import { expectedVersion } from './tag.ts'

/** `DELETE /scim/v2/Users/{id}`: removes an account for good; its sessions end at once. Throws 404 and 412. */
export async function remove(call: Call, { params, headers }: Request): Promise<undefined> {
  await call.db.transaction(async (tx) => {
    const expected = expectedVersion(await getAccount(tx, params.id!), headers['if-match'])
    await removeAccount(tx, call, params.id!, expected)
  })
  return undefined
}
