import type { Call } from '../../base/call.ts'
import type { Request } from '../../base/http/route.ts'
import { getAccount, removeAccount } from '../accounts/accounts.ts'
import { type AccountWriting, writeAccounts } from '../accounts/write-accounts.ts'
import { expectedVersion } from './etag.ts'

/** Deletes an account and ends its sessions: `DELETE /scim/v2/Users/{id}`. Throws 404 and 412. */
export async function deleteUser(
  call: Call,
  { params, headers }: Request,
  services: AccountWriting,
): Promise<undefined> {
  await writeAccounts(call, services, async (tx) => {
    const expected = expectedVersion(await getAccount(tx, params.id!), headers['if-match'])
    await removeAccount(tx, call, params.id!, expected)
  })
  return undefined
}
