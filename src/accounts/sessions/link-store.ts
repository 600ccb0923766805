import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

export type SignInLinkRow = { account_id: string }

export async function insertLink(
  tx: Tx,
  link: SignInLinkRow & { token_hash: Buffer; nowMs: number; expiresMs: number },
): Promise<void> {
  const { token_hash, account_id, nowMs, expiresMs } = link
  await tx.query(sql`
    insert into sign_in_link (token_hash, account_id, created_at, expires_at)
    values (${token_hash}, ${account_id}::uuid, ${timestampFromMs(nowMs)}, ${timestampFromMs(expiresMs)})`)
}

/** Finds a link that is neither used nor expired. */
export async function findLink(tx: Tx, token_hash: Buffer, nowMs: number): Promise<SignInLinkRow | undefined> {
  const [row] = await tx.query<SignInLinkRow>(sql`
    select account_id from sign_in_link
    where token_hash = ${token_hash} and used_at is null and expires_at > ${timestampFromMs(nowMs)}`)
  return row
}

/** Marks a link as used; only one of several concurrent calls gets it. */
export async function markLinkUsed(tx: Tx, token_hash: Buffer, nowMs: number): Promise<SignInLinkRow | undefined> {
  const [row] = await tx.query<SignInLinkRow>(sql`
    update sign_in_link set used_at = ${timestampFromMs(nowMs)}
    where token_hash = ${token_hash} and used_at is null and expires_at > ${timestampFromMs(nowMs)}
    returning account_id`)
  return row
}

export async function countUsableLinks(tx: Tx, account_id: string, nowMs: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from sign_in_link
    where account_id = ${account_id}::uuid and used_at is null and expires_at > ${timestampFromMs(nowMs)}`)
  return row!.count
}

export async function deleteLink(tx: Tx, token_hash: Buffer): Promise<void> {
  await tx.query(sql`delete from sign_in_link where token_hash = ${token_hash}`)
}

export async function deleteAccountLinks(tx: Tx, account_id: string): Promise<void> {
  await tx.query(sql`delete from sign_in_link where account_id = ${account_id}`)
}

export async function deleteAllLinks(tx: Tx): Promise<void> {
  await tx.query(sql`delete from sign_in_link`)
}

export async function deleteEndedLinks(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from sign_in_link where expires_at <= ${timestampFromMs(nowMs)}`)
}
