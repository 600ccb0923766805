import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { sha256 } from '../../base/ids.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import {
  findActiveAccount,
  hasAccounts,
  lockAccounts,
  lockActiveAccount,
  updateLastSignIn,
} from '../accounts/account-store.ts'
import { deleteFirstLinks, findLink, markLinkUsed, type SignInLinkRow } from '../sessions/link-store.ts'
import { deleteSession, type SignInAccount } from '../sessions/session-store.ts'
import { type OpenedSession, openSession, type Visitor } from '../sessions/sessions.ts'
import { linkHash } from './links.ts'

export type FirstPerson = { readonly user_name: string; readonly given_name: string; readonly family_name: string }

export type SignInServices = {
  readonly db: Db
  readonly clock: Clock
  /** Creates an administrator in the transaction. */
  createFirst(tx: Tx, author: AuditAuthor, person: FirstPerson): Promise<SignInAccount>
}

/** Finds a link without using it; undefined when it is unknown, used or expired. */
export async function findUsableLink({ db, clock }: SignInServices, token: string): Promise<SignInLinkRow | undefined> {
  const hash = linkHash(token)
  const link = hash && (await findLink(db, hash, clock.elapsed()))
  return link?.account_id === null && (await hasAccounts(db)) ? undefined : link
}

/** Signs in by a link, which is then used. Undefined when the link cannot be used or its account is disabled. */
export async function signInByLink(
  services: SignInServices,
  token: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  const hash = linkHash(token)
  if (!hash) return undefined
  return services.db.transaction(async (tx) => {
    const nowMs = services.clock.elapsed()
    const link = await findLink(tx, hash, nowMs)
    // The account is locked before its link, as disabling an account does.
    const account = link?.account_id ? await lockActiveAccount(tx, link.account_id) : undefined
    if (!account || !(await markLinkUsed(tx, hash, nowMs, false))) return undefined
    return signInAccount(tx, services.clock, account, visitor, 'link')
  })
}

/**
 * Creates the first account by the link of the console, and signs in. Undefined when the link cannot be used or there is an account; of
 * several concurrent calls, one succeeds. Throws what `createFirst` throws; the link can then be used again.
 */
export async function signInAsFirst(
  services: SignInServices,
  token: string,
  person: FirstPerson,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  const hash = linkHash(token)
  if (!hash) return undefined
  const { ip, request_id } = visitor
  const actor = { kind: 'system', id: 'first-sign-in', name: 'first sign-in', from: { ip, request_id } } as const
  return services.db.transaction(async (tx) => {
    await lockAccounts(tx)
    const link = await markLinkUsed(tx, hash, services.clock.elapsed(), true)
    if (!link || (await hasAccounts(tx))) return undefined
    const account = await services.createFirst(tx, { actor, clock: services.clock }, person)
    await deleteFirstLinks(tx)
    return signInAccount(tx, services.clock, account, visitor, 'link')
  })
}

/** Signs in an account that the identity provider has confirmed. Undefined when no active account has that name. */
export async function signInByOidc(
  { db, clock }: SignInServices,
  user_name: string,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  return db.transaction(async (tx) => {
    const found = await findActiveAccount(tx, user_name)
    const account = found && (await lockActiveAccount(tx, found.account_id))
    return account && signInAccount(tx, clock, account, visitor, 'oidc')
  })
}

/** Ends the session of a cookie, if there is one. */
export async function signOut({ db, clock }: SignInServices, token: string, visitor: Visitor): Promise<void> {
  await db.transaction(async (tx) => {
    const account = await deleteSession(tx, sha256(token))
    if (account)
      await recordAudit(tx, auditAuthor(clock, account, visitor), {
        action: 'session.close',
        target: targetOf(account),
      })
  })
}

async function signInAccount(
  tx: Tx,
  clock: Clock,
  account: SignInAccount,
  visitor: Visitor,
  way: 'link' | 'oidc',
): Promise<OpenedSession> {
  await updateLastSignIn(tx, account.account_id, clock.now())
  await recordAudit(tx, auditAuthor(clock, account, visitor), {
    action: 'session.open',
    target: targetOf(account),
    after: { way },
  })
  return openSession(tx, clock, account, visitor)
}

function auditAuthor(clock: Clock, { account_id, user_name }: SignInAccount, { ip, request_id }: Visitor): AuditAuthor {
  return { clock, actor: { kind: 'account', id: account_id, name: user_name, from: { ip, request_id } } }
}

function targetOf({ account_id, user_name }: SignInAccount) {
  return { kind: 'account', id: account_id, name: user_name }
}
