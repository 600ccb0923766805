import type { Call } from '../../base/call.ts'
import { Failure } from '../../base/errors.ts'
import type { ReplyWithHeaders, Request } from '../../base/http/route.ts'
import { beginWrite, createAccount } from '../accounts/accounts.ts'
import { type AccountWriting, writeAccounts } from '../accounts/write-accounts.ts'
import { defaultPermissions } from '../permissions/permissions.ts'
import type { AccountLinks, MailedLink } from '../sign-in/account-links.ts'
import { accountReply } from './account-tag.ts'
import { readAuthor, refuseLacking } from './author.ts'
import { describeOne } from './describe-account.ts'
import { checkUserName, readBody, readDepartment, readGivenPermissions } from './read-body.ts'
import { InviteShape } from './schema.ts'

export type AdministrationServices = AccountWriting & { readonly signIn: { readonly accountLinks: AccountLinks } }

/**
 * Creates an account and mails it a link to sign in. Without permissions it belongs to the default workspace and may do nothing there. When
 * the mail cannot be sent, the account is there all the same, and the answer says so. Throws 400, 403, and 409 for a name that is taken.
 */
export async function inviteAccount(
  call: Call,
  { body }: Request,
  services: AdministrationServices,
): Promise<ReplyWithHeaders> {
  const { send_link = true, ...given } = readBody(InviteShape, body)
  checkUserName(given.user_name)
  const { account, declared } = await writeAccounts(call, services, async (tx) => {
    const declared = await beginWrite(tx)
    const author = await readAuthor(tx, call.actor, declared)
    const permissions =
      given.permissions === undefined ? defaultPermissions(declared) : readGivenPermissions(given.permissions, declared)
    refuseLacking(author, undefined, { permissions }, declared)
    const department = given.department === undefined ? (declared.defaultDepartment ?? null) : given.department
    const account = await createAccount(tx, call, {
      user_name: given.user_name,
      given_name: given.given_name.trim(),
      family_name: (given.family_name ?? '').trim(),
      department: readDepartment(department, declared, declared.defaultDepartment ?? null),
      permissions,
    })
    return { account, declared }
  })
  const sent = send_link ? await sendInvitation(call, account.account_id, services) : { link: null, link_refusal: null }
  return accountReply(account, describeOne(account, declared, call.actor), { status: 201, more: sent })
}

async function sendInvitation(
  call: Call,
  account_id: string,
  { signIn }: AdministrationServices,
): Promise<{ link: MailedLink | null; link_refusal: string | null }> {
  try {
    return { link: await signIn.accountLinks.mail(account_id, 'invitation', call), link_refusal: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The account exists, so a failed mail is no failed request: the link can be sent again.
    call.log.warn({ err: error, account_id }, 'An invitation could not be mailed')
    return { link: null, link_refusal: error.message }
  }
}
