import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { forbidden } from '../../base/errors.ts'
import { sha256 } from '../../base/ids.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import {
  findActiveAccount,
  hasAdministrator,
  lockAccounts,
  lockActiveAccount,
  updateLastSignIn,
} from '../accounts/account-store.ts'
import { findBoundAccount, insertIdentity } from '../sessions/identity-store.ts'
import { findLink, markLinkUsed } from '../sessions/link-store.ts'
import { deleteSession, type SignInAccount } from '../sessions/session-store.ts'
import { type OpenedSession, openSession, type Visitor } from '../sessions/sessions.ts'
import { isFirstLink, linkHash } from './links.ts'
import type { ConfirmedPerson } from './oidc.ts'

export type FirstPerson = { readonly user_name: string; readonly given_name: string; readonly family_name: string }

export type SignInServices = {
  readonly db: Db
  readonly clock: Clock
  readonly secret: Buffer
  /** Creates an administrator in the transaction, or makes the active account of that name one. */
  createFirst(tx: Tx, author: AuditAuthor, person: FirstPerson): Promise<SignInAccount>
}

/** What a link that works is for: it makes the first administrator, or signs an account in. */
export type LinkPurpose = 'first' | 'account'

/** Finds a link without using it; undefined when it is unknown, used or expired, or there is an administrator already. */
export async function findUsableLink(
  { db, clock, secret }: SignInServices,
  token: string,
): Promise<LinkPurpose | undefined> {
  if (isFirstLink(token, secret)) return (await hasAdministrator(db)) ? undefined : 'first'
  const hash = linkHash(token)
  return hash && (await findLink(db, hash, clock.elapsed())) ? 'account' : undefined
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
    const account = link && (await lockActiveAccount(tx, link.account_id))
    if (!account || !(await markLinkUsed(tx, hash, nowMs))) return undefined
    return signInAccount(tx, services.clock, account, visitor, 'link')
  })
}

/**
 * Makes the first administrator by the link of the console, and signs in. Undefined when there is an active administrator; of several
 * concurrent calls, one succeeds. Throws what `createFirst` throws; the link can then be used again.
 */
export async function signInAsFirst(
  services: SignInServices,
  person: FirstPerson,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  const { ip, request_id } = visitor
  const actor = { kind: 'system', id: 'first-sign-in', name: 'first sign-in', from: { ip, request_id } } as const
  return services.db.transaction(async (tx) => {
    await lockAccounts(tx)
    if (await hasAdministrator(tx)) return undefined
    const account = await services.createFirst(tx, { actor, clock: services.clock }, person)
    return signInAccount(tx, services.clock, account, visitor, 'link')
  })
}

/**
 * Signs in the account that is bound to a person of the identity provider. Without one, the active account whose name is the e-mail address
 * of the person is bound: from then on it follows the person, not the address, which the provider may give to another person. Undefined
 * when there is no such account or it is disabled. Throws 403 when the account is bound to another person, or there is no verified address.
 */
export async function signInByOidc(
  { db, clock }: SignInServices,
  person: ConfirmedPerson,
  visitor: Visitor,
): Promise<OpenedSession | undefined> {
  return db.transaction(async (tx) => {
    const bound = await findBoundAccount(tx, person)
    const account_id = bound ?? (await findActiveAccount(tx, verifiedAddress(person)))?.account_id
    const account = account_id === undefined ? undefined : await lockActiveAccount(tx, account_id)
    if (account && bound === undefined) await bindAccount(tx, { clock, account, person, visitor })
    return account && signInAccount(tx, clock, account, visitor, 'oidc')
  })
}

function verifiedAddress({ email }: ConfirmedPerson): string {
  if ('refusal' in email) throw forbidden(email.refusal)
  return email.address
}

type Binding = {
  readonly clock: Clock
  readonly account: SignInAccount
  readonly person: ConfirmedPerson
  readonly visitor: Visitor
}

async function bindAccount(tx: Tx, { clock, account, person, visitor }: Binding): Promise<void> {
  const { issuer, subject } = person
  if (await insertIdentity(tx, { issuer, subject }, account.account_id, clock.now())) {
    const after = { issuer, subject }
    await recordAudit(tx, auditAuthor(clock, account, visitor), {
      action: 'identity.bind',
      target: targetOf(account),
      after,
    })
    return
  }
  // Two first sign-ins of one person at once: the other one has bound it.
  if ((await findBoundAccount(tx, person)) === account.account_id) return
  throw forbidden('Your account here belongs to another company account: ask an administrator')
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
