import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import { deleteAccountLinks } from './link-store.ts'
import {
  deleteAccountSessions,
  findSessionRow,
  insertSession,
  type SignInAccount,
  touchSession,
} from './session-store.ts'

const hourMs = 3_600_000
/** A session ends after so long, whatever is done with it. */
export const sessionMs = 14 * 24 * hourMs
/** A session ends when nothing was asked with it for so long. */
export const idleMs = 12 * hourMs
/** How exactly it is known when somebody was last seen. */
const seenMs = 60_000
const userAgentCharactersMax = 300
const tokenForm = /^easel_session_[\w-]{32}$/

/** Where somebody signs in from: an address, the request's `X-Request-Id`, and what the browser calls itself. */
export type Visitor = { readonly ip: string; readonly request_id: string; readonly agent: string }

/** What a browser is given: the value of its cookie, and what it must say in a header of every write. */
export type OpenedSession = { readonly token: string; readonly csrf: string }

export type AccountSession = SignInAccount & { readonly csrf: string; readonly expires_at: Date }

/** Opens a session of an account, always a new one: what a browser brought along is never taken over. Machine time. */
export async function openSession(
  tx: Tx,
  clock: Clock,
  { account_id }: Pick<SignInAccount, 'account_id'>,
  { ip, agent }: Visitor,
): Promise<OpenedSession> {
  const token = generateToken('easel_session')
  const nowMs = clock.elapsed()
  await insertSession(tx, {
    session_hash: sha256(token),
    account_id,
    ip,
    user_agent: agent.slice(0, userAgentCharactersMax).toWellFormed(),
    nowMs,
    expiresMs: nowMs + sessionMs,
  })
  return { token, csrf: csrfToken(token) }
}

/**
 * Whose session a cookie is; undefined when it was never given out, is over, was revoked, or its account was disabled. It is read
 * from the database each time, so that nobody who was locked out is let in by a copy.
 */
export async function findSession(db: Db, clock: Clock, token: string): Promise<AccountSession | undefined> {
  if (!tokenForm.test(token)) return undefined
  const session_hash = sha256(token)
  const nowMs = clock.elapsed()
  const session = await findSessionRow(db, session_hash, nowMs, nowMs - idleMs)
  if (!session) return undefined
  const { account_id, user_name, given_name, seen_at, expires_at } = session
  if (nowMs - seen_at.getTime() > seenMs) await touchSession(db, session_hash, nowMs)
  return { account_id, user_name, given_name, expires_at, csrf: csrfToken(token) }
}

/** Signs an account out everywhere, at once, and takes back the links on their way to it. Answers how many sessions ended. */
export async function endSessions(tx: Tx, account_id: string): Promise<number> {
  await deleteAccountLinks(tx, account_id)
  return deleteAccountSessions(tx, account_id)
}

/** Follows from the cookie, so that any page of the same origin can be given it again, and nobody else can know it. */
function csrfToken(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url')
}
