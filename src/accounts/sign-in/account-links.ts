import type { Tx } from '../../base/db/db.ts'
import { conflict, unavailable } from '../../base/errors.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import type { Account } from '../accounts/account.ts'
import { lockActiveAccount } from '../accounts/account-store.ts'
import type { AccountCall } from '../accounts/accounts.ts'
import { getAccount } from '../accounts/accounts.ts'
import { mailboxOf } from '../accounts/address.ts'
import { countUsableLinks, deleteLink, insertLink } from '../sessions/link-store.ts'
import { linkMinutes, type SignInLinkServices, signInUrl, usableLinksMax } from './links.ts'
import { invitationEmail, signInEmail } from './sign-in-email.ts'

/** How long the link of an invitation works: the person does not wait for it. */
export const invitationHours = 72
/** The most mails that administrators wait for at a time. */
const pendingMax = 50

/** `invitation` says who invites; `link` is the mail that a person asks for at the sign-in page. */
export type LinkKind = 'invitation' | 'link'

/** The address of a mail with a link, and until when the link works, in machine time. */
export type MailedLink = { readonly to: string; readonly expires_at: string }

export type AccountLinks = {
  /**
   * Mails a link to an account for an administrator, and returns when the mail server has it. Throws 404; 409 when the account is disabled
   * or has as many links as it may; 503 when the mail was not accepted.
   */
  mail(account_id: string, kind: LinkKind, by: AccountCall): Promise<MailedLink>
}

export function openAccountLinks(services: SignInLinkServices): AccountLinks {
  let pending = 0
  return {
    async mail(account_id, kind, by) {
      if (pending >= pendingMax) throw unavailable('The service is busy')
      pending++
      try {
        return await mailLink(account_id, kind, by, services)
      } finally {
        pending--
      }
    },
  }
}

async function mailLink(
  account_id: string,
  kind: LinkKind,
  by: AccountCall,
  services: SignInLinkServices,
): Promise<MailedLink> {
  const { db, clock, publicUrl, sendNotice } = services
  const minutes = kind === 'invitation' ? invitationHours * 60 : linkMinutes
  const token = generateToken('easel_link')
  const expiresMs = clock.elapsed() + minutes * 60_000
  const account = await db.transaction((tx) => storeLink(tx, account_id, { kind, token, expiresMs }, by, services))
  const url = signInUrl(publicUrl, token)
  const to = addressOf(account)
  const mail =
    kind === 'link'
      ? signInEmail(account.given_name, url, linkMinutes)
      : invitationEmail({ ...account, url, hours: invitationHours, from: by.actor, signInPage: `${publicUrl}/sign-in` })
  try {
    await sendNotice({ to, ...mail })
  } catch (error) {
    // A link that nobody got must not count among those of the mailbox.
    await deleteLink(db, sha256(token))
    throw error
  }
  return { to, expires_at: new Date(expiresMs).toISOString() }
}

type NewLink = { readonly kind: LinkKind; readonly token: string; readonly expiresMs: number }

async function storeLink(
  tx: Tx,
  account_id: string,
  { kind, token, expiresMs }: NewLink,
  by: AccountCall,
  { clock }: SignInLinkServices,
): Promise<Account> {
  const account = await getAccount(tx, account_id)
  if (!(await lockActiveAccount(tx, account_id))) throw conflict('This account is disabled: enable it first')
  const nowMs = clock.elapsed()
  if ((await countUsableLinks(tx, account_id, nowMs)) >= usableLinksMax) {
    throw conflict(`This account has ${usableLinksMax} links that still work: more are not allowed`)
  }
  await insertLink(tx, { token_hash: sha256(token), account_id, nowMs, expiresMs })
  const target = { kind: 'account', id: account_id, name: account.user_name }
  const after = { kind, to: addressOf(account), expires_at: new Date(expiresMs).toISOString() }
  await recordAudit(tx, by, { action: 'account.mail_link', target, after, workspace_id: null })
  return account
}

function addressOf({ emails, user_name }: Account): string {
  return mailboxOf({ primary_email: emails.find(({ primary }) => primary)?.value ?? null, user_name })
}
