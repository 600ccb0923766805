import type { Call } from '../../base/call.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { readBoolean, readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { deleteIdentities } from '../sessions/identity-store.ts'
import { deleteSession, listSessions, type SignInAccount } from '../sessions/session-store.ts'
import { endAllSessions, endSessions, idleMs } from '../sessions/sessions.ts'
import { findByName, lockEveryAccount } from './account-store.ts'

const pageDefault = 100
export const sessionPageMax = 1_000
const hashForm = /^[0-9a-f]{64}$/

/** Lists open sessions, last seen first; `user_name` in the query limits them to one account. */
export async function readSessions({ db, clock }: Call, query: Query): Promise<object> {
  const nowMs = clock.elapsed()
  const rows = await listSessions(db, {
    nowMs,
    seenMs: nowMs - idleMs,
    user_name: readUserName(query),
    limit: readLimit(query, pageDefault, sessionPageMax),
  })
  return {
    sessions: rows.map(({ created_at, seen_at, expires_at, ...row }) => ({
      ...row,
      created_at: created_at.toISOString(),
      seen_at: seen_at.toISOString(),
      expires_at: expires_at.toISOString(),
    })),
  }
}

/** Ends one session. Throws 404. */
export async function revokeSession(call: Call, id: string): Promise<void> {
  await call.db.transaction(async (tx) => {
    const account = hashForm.test(id) ? await deleteSession(tx, Buffer.from(id, 'hex')) : undefined
    if (!account) throw notFound('Unknown session')
    await recordAudit(tx, call, { action: 'session.end', target: targetOf(account), after: { sessions: 1 } })
  })
}

/**
 * Ends all sessions of an account, or with `all=true` those of all accounts, and makes the links that were mailed to them invalid.
 * Throws 404.
 */
export async function revokeSessions(call: Call, query: Query): Promise<{ ended: number }> {
  const user_name = readUserName(query)
  const isAll = readBoolean(query, 'all')
  if (isAll && user_name !== undefined) throw invalid("Give either 'user_name' or 'all'")
  if (isAll) return revokeAll(call)
  if (user_name === undefined) throw invalid("'user_name' must be the name of an account")
  return call.db.transaction(async (tx) => {
    const account = await findByName(tx, user_name)
    if (!account) throw notFound('Unknown account')
    const ended = await endSessions(tx, account.account_id)
    await recordAudit(tx, call, { action: 'session.end', target: targetOf(account), after: { sessions: ended } })
    return { ended }
  })
}

function revokeAll(call: Call): Promise<{ ended: number }> {
  return call.db.transaction(async (tx) => {
    // Waits for sign-ins that are under way, so that their sessions end too.
    await lockEveryAccount(tx)
    const after = await endAllSessions(tx)
    await recordAudit(tx, call, { action: 'session.end_all', target: { kind: 'session', id: 'all' }, after })
    return { ended: after.sessions }
  })
}

/**
 * Forgets to which accounts of identity providers an account is bound: its next sign-in binds it anew. Throws 404.
 */
export async function forgetIdentities(call: Call, query: Query): Promise<{ forgotten: number }> {
  const account_name = readUserName(query)
  if (account_name === undefined) throw invalid("'user_name' must be the account whose bindings are to be forgotten")
  return call.db.transaction(async (tx) => {
    const account = await findByName(tx, account_name)
    if (!account) throw notFound('Unknown account')
    const identities = await deleteIdentities(tx, account.account_id)
    await recordAudit(tx, call, { action: 'identity.forget', target: targetOf(account), before: { identities } })
    return { forgotten: identities.length }
  })
}

function readUserName(query: Query): string | undefined {
  const name = readNonEmpty(query, 'user_name')
  if (name?.includes('\0')) throw invalid("'user_name' is not valid")
  return name
}

function targetOf({ account_id, user_name }: Pick<SignInAccount, 'account_id' | 'user_name'>) {
  return { kind: 'account', id: account_id, name: user_name }
}
