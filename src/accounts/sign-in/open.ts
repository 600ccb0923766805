import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Page } from '../../base/http/page.ts'
import type { Log } from '../../base/log.ts'
import type { AuditObserver } from '../../workspace/audit/observer.ts'
import { hasAccounts } from '../accounts/account-store.ts'
import { createAccount } from '../accounts/accounts.ts'
import { noPermissions } from '../permissions/permissions.ts'
import { createAttemptCookie, createSessionCookie } from '../sessions/cookies.ts'
import { type AccountEmail, createLink, openSignInLinks, signInUrl } from './links.ts'
import { type OidcConfig, openOidc } from './oidc.ts'
import { oidcPages } from './oidc-pages.ts'
import { type SignInPageServices, signInPages } from './pages.ts'

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
    hasOidc: provider !== undefined,
    createFirst: (tx, by, person) =>
      createAccount(
        tx,
        { ...by, workspace_id: workspaceId() },
        { ...person, permissions: { ...noPermissions, company: ['admin'] } },
      ),
  }
  const oidc = provider && openOidc({ ...options, ...provider })
  const own = oidc ? oidcPages({ ...services, oidc, attemptCookie: createAttemptCookie(publicUrl) }) : []
  return { pages: [...signInPages(services), ...own], close: () => links.close() }
}

/**
 * Creates the link that creates the first account. It is printed on the console, so that finding the URL of the service is not enough.
 * Undefined when there is an account.
 */
export async function createFirstLink(db: Db, clock: Clock, publicUrl: string): Promise<string | undefined> {
  return (await hasAccounts(db)) ? undefined : signInUrl(publicUrl, await createLink(db, clock, null))
}
