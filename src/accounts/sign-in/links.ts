import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { unavailable } from '../../base/errors.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { findActiveAccount } from '../accounts/account-store.ts'
import { insertLink } from '../sessions/link-store.ts'
import { signInEmail } from './sign-in-email.ts'

export const linkMinutes = 15
/** Who starts a service may not look at its console at once. */
export const firstLinkHours = 24
/** Letters on their way at once; more are told to come back. */
const pendingMax = 200
const linkForm = /^easel_link_[\w-]{32}$/

/** A mail for one account. */
export type AccountEmail = { readonly to: string; readonly subject: string; readonly text: string }

export type SignInLinkServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly publicUrl: string
  /** Brings it to the mail server, or to the inbox. Rejects when it was not taken. */
  sendNotice(notice: AccountEmail): Promise<void>
}

export type SignInLinks = {
  /**
   * Has a link mailed to the account of that name, if there is one. Returns before anything is looked up, so that how long the
   * answer takes says nothing. Throws 503 when too many are on their way.
   */
  request(user_name: string): void
  /** Ends when all that were asked for are on their way. */
  close(): Promise<void>
}

export function openSignInLinks(parts: SignInLinkServices): SignInLinks {
  const pending = new Set<Promise<void>>()
  return {
    request(user_name) {
      if (pending.size >= pendingMax) throw unavailable('The service is busy')
      const sent = sendLink(user_name, parts).then(undefined, (error: unknown) => {
        parts.log.error({ err: error }, 'A link to sign in could not be sent')
      })
      pending.add(sent)
      void sent.then(() => pending.delete(sent))
    },
    async close() {
      await Promise.all(pending)
    },
  }
}

async function sendLink(user_name: string, { db, clock, publicUrl, sendNotice }: SignInLinkServices): Promise<void> {
  const signer = await findActiveAccount(db, user_name)
  if (!signer) return
  const token = await createLink(db, clock, signer.account_id)
  // To the address of the account, not to what was typed: the two may differ in more than case to a mail server.
  await sendNotice({
    to: signer.user_name,
    ...signInEmail(signer.given_name, signInUrl(publicUrl, token), linkMinutes),
  })
}

/** A link that signs an account in, once; of nobody's account it makes the first one. Machine time. */
export async function createLink(tx: Tx, clock: Clock, account_id: string | null): Promise<string> {
  const token = generateToken('easel_link')
  const nowMs = clock.elapsed()
  const minutes = account_id === null ? firstLinkHours * 60 : linkMinutes
  await insertLink(tx, { token_hash: sha256(token), account_id, nowMs, expiresMs: nowMs + minutes * 60_000 })
  return token
}

export function signInUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/sign-in/link/${token}`
}

/** What a link is kept under; undefined for a text that is none. */
export function linkHash(token: string): Buffer | undefined {
  return linkForm.test(token) ? sha256(token) : undefined
}
