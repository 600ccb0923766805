import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../base/db/db.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Declared } from '../permissions/declared.ts'
import { describePermissions, type Permissions } from '../permissions/permissions.ts'
import { findHoldings, lockAccounts, updatePermissions } from './account-store.ts'
import type { AccountCall } from './accounts.ts'

/**
 * Changes the permissions of many accounts. The transaction already shares what is declared. Ids of no account are left out, and so are
 * accounts whose permissions stay. `change` must not take the company permission `admin`.
 */
export async function changePermissions(
  tx: Tx,
  call: AccountCall,
  declared: Declared,
  account_ids: readonly string[],
  change: (permissions: Permissions) => Permissions,
): Promise<void> {
  await lockAccounts(tx)
  const changed = (await findHoldings(tx, account_ids))
    .map(({ permissions, ...account }) => ({ ...account, before: permissions, permissions: change(permissions) }))
    .filter(({ before, permissions }) => !isDeepStrictEqual(before, permissions))
  if (changed.length === 0) return
  await updatePermissions(tx, changed, call.clock.now())
  const describe = (permissions: Permissions) => ({ permissions: describePermissions(permissions, declared) })
  const entries = changed.map(({ account_id, user_name, before, permissions }) => ({
    action: 'account.update',
    target: { kind: 'account', id: account_id, name: user_name },
    before: describe(before),
    after: describe(permissions),
    workspace_id: null,
  }))
  await recordAudit(tx, call, ...entries)
}
