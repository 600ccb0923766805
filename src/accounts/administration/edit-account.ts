import type { Call } from '../../base/call.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import type { Account, AccountAddress, AccountChange } from '../accounts/account.ts'
import { beginWrite, changeAccount, getAccount, removeAccount } from '../accounts/accounts.ts'
import { type AccountWriting, writeAccounts } from '../accounts/write-accounts.ts'
import type { Declared } from '../permissions/declared.ts'
import { accountReply, refuseOtherVersion } from './account-tag.ts'
import { losesAbility, readAuthor, refuseLacking, refuseUnconfirmed } from './author.ts'
import { describeOne } from './describe-account.ts'
import { checkUserName, readBody, readDepartment, readGivenPermissions } from './read-body.ts'
import { type AccountPatch, AccountPatchShape } from './schema.ts'

/**
 * Changes some properties of an account. Disabling it, and another name, end its sessions and the links that were mailed to it. Throws 400,
 * also when no administrator would remain; 403 for what the author may not do; 404; 409 for a name that is taken, and for one's own account
 * when it loses something and that is not confirmed; 412.
 */
export function editAccount(
  call: Call,
  { params, body, headers }: Request,
  services: AccountWriting,
): Promise<ReplyWithHeaders> {
  const { confirm_own, ...given } = readBody(AccountPatchShape, body)
  if (given.user_name !== undefined) checkUserName(given.user_name)
  return writeAccounts(call, services, async (tx) => {
    const declared = await beginWrite(tx)
    const author = await readAuthor(tx, call.actor, declared)
    const before = await getAccount(tx, params.id!)
    refuseOtherVersion(before, headers['if-match'])
    const after = changed(before, given, declared)
    refuseLacking(author, before, after, declared)
    const what = consequence(before, after, declared)
    if (what !== undefined) refuseUnconfirmed(author, before.account_id, what, confirm_own)
    const account = await changeAccount(tx, call, before.account_id, () => toChange(after))
    return accountReply(account, describeOne(account, declared, call.actor))
  })
}

/** Deletes an account, ends its sessions and forgets its bindings. Throws like `editAccount`. */
export async function deleteAccount(
  call: Call,
  { params, headers }: Request,
  isConfirmed: boolean,
  services: AccountWriting,
): Promise<undefined> {
  await writeAccounts(call, services, async (tx) => {
    const author = await readAuthor(tx, call.actor, await beginWrite(tx))
    const before = await getAccount(tx, params.id!)
    refuseOtherVersion(before, headers['if-match'])
    refuseUnconfirmed(author, before.account_id, 'it would be deleted', isConfirmed)
    await removeAccount(tx, call, before.account_id)
  })
  return undefined
}

/** Returns the account as it is to be. Pure. */
function changed(before: Account, given: Omit<AccountPatch, 'confirm_own'>, declared: Declared): Account {
  const { user_name = before.user_name, given_name, family_name, department, active, permissions } = given
  return {
    ...before,
    user_name,
    emails: renamed(before.emails, before.user_name, user_name),
    ...(given_name !== undefined && { given_name: given_name.trim() }),
    ...(family_name !== undefined && { family_name: family_name.trim() }),
    ...(department !== undefined && { department: readDepartment(department, declared, before.department) }),
    ...(active !== undefined && { active }),
    ...(permissions !== undefined && { permissions: readGivenPermissions(permissions, declared) }),
  }
}

/** Mail to the earlier name goes to the new one: links are mailed to the primary address. */
function renamed(emails: readonly AccountAddress[], before: string, after: string): readonly AccountAddress[] {
  if (before === after) return emails
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
  return emails.map((email) => (isSame(email.value, before) ? { ...email, value: after } : email))
}

/** Says what an account loses by a change; undefined when it loses nothing. */
function consequence(before: Account, after: Account, declared: Declared): string | undefined {
  if (before.active && !after.active) return 'you would be signed out and could not sign in again'
  if (losesAbility(before, after, declared)) return 'you would lose what you take from it'
  if (before.user_name !== after.user_name) return 'you would be signed out, and sign in with the new address'
  return undefined
}

function toChange(account: Account): AccountChange {
  const { account_id: _id, version: _version, created_at: _created, updated_at: _updated, ...change } = account
  return change
}
