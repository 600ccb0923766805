import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** An account that signs in. */
export type SignInAccount = { account_id: string; user_name: string; given_name: string }

export type AccountSessionRow = SignInAccount & { created_at: Date; seen_at: Date; expires_at: Date }

export type ListedSession = {
  id: string
  user_name: string
  account_id: string
  ip: string
  user_agent: string
} & Pick<AccountSessionRow, 'created_at' | 'seen_at' | 'expires_at'>

export type NewSession = {
  session_hash: Buffer
  account_id: string
  ip: string
  user_agent: string
  nowMs: number
  expiresMs: number
}

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  const { session_hash, account_id, ip, user_agent, nowMs, expiresMs } = session
  await tx.query(sql`
    insert into session (session_hash, account_id, created_at, seen_at, expires_at, ip, user_agent)
    values (${session_hash}, ${account_id}, ${timestampFromMs(nowMs)}, ${timestampFromMs(nowMs)}, ${timestampFromMs(expiresMs)}, ${ip},
      ${user_agent})`)
}

/** Finds an open session of an active account. A session that was not used since `seenMs` has ended. */
export async function findSessionRow(
  tx: Tx,
  session_hash: Buffer,
  nowMs: number,
  seenMs: number,
): Promise<AccountSessionRow | undefined> {
  const [row] = await tx.query<AccountSessionRow>(sql`
    select a.account_id, a.user_name, a.given_name, s.created_at, s.seen_at, s.expires_at
    from session s join account a on a.account_id = s.account_id
    where s.session_hash = ${session_hash} and s.expires_at > ${timestampFromMs(nowMs)} and s.seen_at > ${timestampFromMs(seenMs)}
      and a.active`)
  return row
}

export async function touchSession(tx: Tx, session_hash: Buffer, nowMs: number): Promise<void> {
  await tx.query(sql`
    update session set seen_at = greatest(seen_at, ${timestampFromMs(nowMs)}) where session_hash = ${session_hash}`)
}

/** Deletes a session and returns its account. */
export async function deleteSession(tx: Tx, session_hash: Buffer): Promise<SignInAccount | undefined> {
  const [row] = await tx.query<SignInAccount>(sql`
    delete from session s using account a where s.session_hash = ${session_hash} and a.account_id = s.account_id
    returning a.account_id, a.user_name, a.given_name`)
  return row
}

/** Deletes all sessions of an account and returns their number. */
export async function deleteAccountSessions(tx: Tx, account_id: string): Promise<number> {
  const gone = await tx.query(sql`delete from session where account_id = ${account_id} returning 1`)
  return gone.length
}

/** Deletes the sessions of all accounts and returns the accounts, once for each session. */
export function deleteAllSessions(tx: Tx): Promise<{ account_id: string }[]> {
  return tx.query<{ account_id: string }>(sql`delete from session returning account_id`)
}

export type AccountSessionFilter = { nowMs: number; seenMs: number; user_name: string | undefined; limit: number }

/** Lists open sessions, last seen first, of one account or of all. */
export function listSessions(
  tx: Tx,
  { nowMs, seenMs, user_name, limit }: AccountSessionFilter,
): Promise<ListedSession[]> {
  const named =
    user_name === undefined ? sql`` : sql`and lower(a.user_name collate "C") = lower(${user_name}::text collate "C")`
  return tx.query<ListedSession>(sql`
    select encode(s.session_hash, 'hex') as id, a.account_id, a.user_name, s.ip, s.user_agent, s.created_at, s.seen_at, s.expires_at
    from session s join account a on a.account_id = s.account_id
    where s.expires_at > ${timestampFromMs(nowMs)} and s.seen_at > ${timestampFromMs(seenMs)} and a.active ${named}
    order by s.seen_at desc, s.session_hash limit ${limit}::int`)
}

export async function deleteEndedSessions(tx: Tx, nowMs: number, seenMs: number): Promise<void> {
  await tx.query(
    sql`delete from session where expires_at <= ${timestampFromMs(nowMs)} or seen_at <= ${timestampFromMs(seenMs)}`,
  )
}
