import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { generateToken, sha256 } from '../../base/ids.ts'
import { deleteAccountLinks, deleteAllLinks } from './link-store.ts'
import {
  deleteAccountSessions,
  deleteAllSessions,
  findSessionRow,
  insertSession,
  type SignInAccount,
  touchSession,
} from './session-store.ts'

const hourMs = 3_600_000
/** A session ends after this time, even while it is used. */
export const sessionMs = 14 * 24 * hourMs
/** A session ends when it was not used for this time. */
export const idleMs = 12 * hourMs
/** `seen_at` is updated at most once in this time. */
const seenMs = 60_000
const userAgentCharactersMax = 300
const tokenForm = /^easel_session_[\w-]{32}$/

/** The origin of a sign-in: IP address, `X-Request-Id` of the request, and `User-Agent`. */
export type Visitor = { readonly ip: string; readonly request_id: string; readonly agent: string }

/** The value of the cookie, and the value of the header `X-CSRF-Token` of every write. */
export type OpenedSession = { readonly token: string; readonly csrf: string }

export type AccountSession = SignInAccount & { readonly csrf: string; readonly expires_at: Date }

/** Opens a new session of an account, in machine time. A session of the same browser is never continued, against session fixation. */
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
 * Finds the session of a cookie; undefined when it is unknown, ended or revoked, or its account is disabled. It is read from the database
 * each time, because a cached one could still admit an account that was disabled.
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

/** Ends all sessions of an account and deletes its links. Returns the number of sessions. */
export async function endSessions(tx: Tx, account_id: string): Promise<number> {
  await deleteAccountLinks(tx, account_id)
  return deleteAccountSessions(tx, account_id)
}

/** Ends the sessions of all accounts and deletes all links. Returns how many sessions of how many accounts. */
export async function endAllSessions(tx: Tx): Promise<{ sessions: number; accounts: number }> {
  await deleteAllLinks(tx)
  const gone = await deleteAllSessions(tx)
  return { sessions: gone.length, accounts: new Set(gone.map(({ account_id }) => account_id)).size }
}

/** The CSRF token is derived from the token of the session, so it need not be stored and cannot be guessed. */
function csrfToken(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url')
}
