import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** The token with which a request to a webhook of a workspace was signed. */
export type WebhookTokenKey = { readonly workspace_id: number; readonly token_hash: Buffer }

/** Claims a token until `untilMs`, machine time. Returns false if it is claimed already. */
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

/** Extends the claim of a token. */
export async function extendWebhookToken(tx: Tx, key: WebhookTokenKey, untilMs: number): Promise<void> {
  await tx.query(sql`update webhook_token set expires_at = ${timestampFromMs(untilMs)} where ${matches(key)}`)
}

/** Releases a claimed token. */
export async function releaseWebhookToken(tx: Tx, key: WebhookTokenKey): Promise<void> {
  await tx.query(sql`delete from webhook_token where ${matches(key)}`)
}

/** Deletes tokens whose signatures have expired. */
export async function deleteExpiredWebhookTokens(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from webhook_token where expires_at <= ${timestampFromMs(nowMs)}`)
}

function matches({ workspace_id, token_hash }: WebhookTokenKey): Sql {
  return sql`workspace_id = ${workspace_id} and token_hash = ${token_hash}`
}
