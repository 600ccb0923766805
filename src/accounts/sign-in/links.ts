import { createHmac } from 'node:crypto'
import type { RequestSource } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import { generateToken, sameSecret, sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { unknownAccountEvent } from '../../workspace/audit/observed-rules.ts'
import type { AuditObserver } from '../../workspace/audit/observer.ts'
import { findActiveAccount, lockActiveAccount } from '../accounts/account-store.ts'
import { mailboxOf } from '../accounts/address.ts'
import { countUsableLinks, deleteLink, insertLink } from '../sessions/link-store.ts'
import { signInEmail } from './sign-in-email.ts'

export const linkMinutes = 15
/**
 * Mailed links of an account that still work. With so many, a further request sends no mail: strangers cannot fill a mailbox, and its owner
 * has a link that works, as only the mailbox gets them.
 */
export const usableLinksMax = 50
/** The most mails that are being sent. With more, requests are refused with 503. */
const pendingMax = 200
const linkForm = /^easel_link_[\w-]{32}$/
const linkCharacters = 32

/** A mail to the address of an account. */
export type AccountEmail = { readonly to: string; readonly subject: string; readonly text: string }

export type SignInLinkServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly publicUrl: string
  readonly auditObserver: Pick<AuditObserver, 'note'>
  /** Sends it to the mail server, or to the inbox. Rejects when it was not accepted. */
  sendNotice(notice: AccountEmail): Promise<void>
}

export type SignInLinks = {
  /**
   * Mails a link to the account of that name, if there is one. Returns before the account is looked up, so that the response time does
   * not show whether it exists. Throws 503 when too many mails are being sent.
   */
  request(user_name: string, from: RequestSource): void
  /** Resolves when all requested mails are sent. */
  close(): Promise<void>
}

export function openSignInLinks(services: SignInLinkServices): SignInLinks {
  const pending = new Set<Promise<void>>()
  return {
    request(user_name, from) {
      if (pending.size >= pendingMax) throw unavailable('The service is busy')
      const sent = sendLink(user_name, from, services).then(undefined, (error: unknown) => {
        services.log.error({ err: error }, 'A sign-in link could not be sent')
      })
      pending.add(sent)
      void sent.then(() => pending.delete(sent))
    },
    async close() {
      await Promise.all(pending)
    },
  }
}

async function sendLink(user_name: string, from: RequestSource, services: SignInLinkServices): Promise<void> {
  const { db, clock, publicUrl, sendNotice } = services
  const account = await findActiveAccount(db, user_name)
  if (!account) return services.auditObserver.note(unknownAccountEvent(user_name, from))
  const token = await createAccountLink(db, clock, account.account_id)
  if (token === undefined) return
  try {
    // The mail goes to the stored address, not to the typed one: a mail server may distinguish addresses that differ only in case.
    await sendNotice({
      to: mailboxOf(account),
      ...signInEmail(account.given_name, signInUrl(publicUrl, token), linkMinutes),
    })
  } catch (error) {
    // A link that nobody got must not count among those of the mailbox.
    await deleteLink(db, sha256(token))
    throw error
  }
}

/** Creates a link of an account. Undefined when it has as many usable links as it may, or is disabled meanwhile. */
function createAccountLink(db: Db, clock: Clock, account_id: string): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    // Concurrent requests would each count too few links without the lock.
    const account = await lockActiveAccount(tx, account_id)
    const isFull = (await countUsableLinks(tx, account_id, clock.elapsed())) >= usableLinksMax
    return account && !isFull ? createLink(tx, clock, account_id) : undefined
  })
}

/** Creates a link that signs an account in once. Machine time. */
async function createLink(tx: Tx, clock: Clock, account_id: string): Promise<string> {
  const token = generateToken('easel_link')
  const nowMs = clock.elapsed()
  await insertLink(tx, { token_hash: sha256(token), account_id, nowMs, expiresMs: nowMs + linkMinutes * 60_000 })
  return token
}

/**
 * Returns the token of the link that makes the first administrator. It is derived from the secret of the installation, so that every start
 * and every process prints the same one, and no row can expire.
 */
export function firstLinkToken(secret: Buffer): string {
  const derived = createHmac('sha256', secret).update('the link of the first account').digest('base64url')
  return `easel_link_${derived.slice(0, linkCharacters)}`
}

export function isFirstLink(token: string, secret: Buffer): boolean {
  return sameSecret(token, firstLinkToken(secret))
}

export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in/link/${token}`
}

/** Returns the hash under which a link is stored; undefined for a text that is not a link. */
export function linkHash(token: string): Buffer | undefined {
  return linkForm.test(token) ? sha256(token) : undefined
}
