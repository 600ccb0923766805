import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** A word that a request to a webhook of a workspace was signed with. */
export type WebhookTokenKey = { readonly workspace_id: number; readonly token_hash: Buffer }

/** Takes a word until `untilMs`; false when somebody has it. Machine time. */
export async function claimWebhookToken(
  tx: Tx,
  { workspace_id, token_hash }: WebhookTokenKey,
  nowMs: number,
  untilMs: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into webhook_token as t (workspace_id, token_hash, expires_at)
    values (${workspace_id}, ${token_hash}, ${timestampFromMs(untilMs)})
    on conflict (workspace_id, token_hash) do update set expires_at = excluded.expires_at where t.expires_at <= ${timestampFromMs(nowMs)}
    returning 1`)
  return rows.length > 0
}

/** Keeps a word that was taken for longer. */
export async function extendWebhookToken(tx: Tx, key: WebhookTokenKey, untilMs: number): Promise<void> {
  await tx.query(sql`update webhook_token set expires_at = ${timestampFromMs(untilMs)} where ${isOf(key)}`)
}

/** Gives a word back. */
export async function releaseWebhookToken(tx: Tx, key: WebhookTokenKey): Promise<void> {
  await tx.query(sql`delete from webhook_token where ${isOf(key)}`)
}

/** Deletes words that no signature is good with any more. */
export async function deleteExpiredWebhookTokens(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from webhook_token where expires_at <= ${timestampFromMs(nowMs)}`)
}

function isOf({ workspace_id, token_hash }: WebhookTokenKey): Sql {
  return sql`workspace_id = ${workspace_id} and token_hash = ${token_hash}`
}
