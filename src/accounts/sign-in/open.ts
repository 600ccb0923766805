import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import type { Page } from '../../base/http/page.ts'
import type { Log } from '../../base/log.ts'
import type { AuditObserver } from '../../workspace/audit/observer.ts'
import type { AuditAuthor } from '../../workspace/audit/record.ts'
import { findActiveAccount, hasAdministrator } from '../accounts/account-store.ts'
import { changeAccount, createAccount } from '../accounts/accounts.ts'
import { noPermissions } from '../permissions/permissions.ts'
import { createAttemptCookie, createNextPageCookie, createSessionCookie } from '../sessions/cookies.ts'
import type { SignInAccount } from '../sessions/session-store.ts'
import { type AccountLinks, openAccountLinks } from './account-links.ts'
import { type AccountEmail, firstLinkToken, openSignInLinks, signInUrl } from './links.ts'
import { type OidcConfig, openOidc } from './oidc.ts'
import { oidcPages } from './oidc-pages.ts'
import { openAnswerPace } from './pace-answers.ts'
import { type SignInPageServices, signInPages } from './pages.ts'
import type { FirstPerson } from './sign-in.ts'

export type SignInOptions = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly secret: Buffer
  readonly publicUrl: string
  readonly auditObserver: Pick<AuditObserver, 'note'>
  /** The identity provider; when undefined, only links are offered. */
  readonly provider: OidcConfig | undefined
  /** Returns the id of the default workspace. */
  workspaceId(): number
  sendNotice(notice: AccountEmail): Promise<void>
}

export type SignIn = {
  readonly pages: readonly Page[]
  /** Mails links for administrators. */
  readonly accountLinks: AccountLinks
  /** Resolves when all requested links are sent. */
  close(): Promise<void>
}

/** Opens the pages to sign in and out. */
export function openSignIn(options: SignInOptions): SignIn {
  const { publicUrl, provider, workspaceId } = options
  const links = openSignInLinks(options)
  const services: SignInPageServices = {
    ...options,
    links,
    sessionCookie: createSessionCookie(publicUrl),
    nextPageCookie: createNextPageCookie(publicUrl),
    hasOidc: provider !== undefined,
    createFirst: (tx, by, person) => createFirst(tx, { ...by, workspace_id: workspaceId() }, person),
  }
  const oidc = provider && openOidc({ ...options, ...provider })
  const attemptCookie = createAttemptCookie(publicUrl)
  const own = oidc ? oidcPages({ ...services, oidc, answerPace: openAnswerPace(options.clock), attemptCookie }) : []
  return {
    pages: [...signInPages(services), ...own],
    accountLinks: openAccountLinks(options),
    close: () => links.close(),
  }
}

/** Makes the active account of that name an administrator, or creates one. Throws 409 when the name is that of a disabled account. */
async function createFirst(
  tx: Tx,
  call: AuditAuthor & { readonly workspace_id: number },
  person: FirstPerson,
): Promise<SignInAccount> {
  const known = await findActiveAccount(tx, person.user_name)
  if (!known) return createAccount(tx, call, { ...person, permissions: { ...noPermissions, company: ['admin'] } })
  return changeAccount(tx, call, known.account_id, (account) => ({
    ...account,
    permissions: { ...account.permissions, company: [...new Set([...account.permissions.company, 'admin' as const])] },
  }))
}

/**
 * Returns the link that makes the first administrator. It is printed on the console, so that finding the URL of the service is not enough.
 * Undefined when there is an active administrator.
 */
export async function findFirstLink(db: Db, publicUrl: string, secret: Buffer): Promise<string | undefined> {
  return (await hasAdministrator(db)) ? undefined : signInUrl(publicUrl, firstLinkToken(secret))
}
