import type { Tx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import { timestampFromMs } from '../db/timestamps.ts'

/** An `Idempotency-Key` is for one request to one path of one workspace. */
export type IdempotencyKey = { readonly workspace_id: number; readonly key_hash: Buffer; readonly path: string }

export type StoredAnswer = { readonly body_hash: Buffer; readonly status: number; readonly reply: object }

/** Finds the stored answer of a key. */
export async function findAnswer(tx: Tx, key: IdempotencyKey, nowMs: number): Promise<StoredAnswer | undefined> {
  const [row] = await tx.query<StoredAnswer>(sql`
    select body_hash, status, reply from idempotency where ${ofKey(key)} and reply is not null and expires_at > ${timestampFromMs(nowMs)}`)
  return row
}

/** Inserts the row of a key without an answer, unless it exists, so that it can be locked. It expires at `untilMs`. */
export async function reserveKey(
  tx: Tx,
  { workspace_id, key_hash, path }: IdempotencyKey,
  untilMs: number,
): Promise<void> {
  await tx.query(sql`
    insert into idempotency (workspace_id, key_hash, path, expires_at)
    values (${workspace_id}, ${key_hash}, ${path}, ${timestampFromMs(untilMs)}) on conflict do nothing`)
}

/**
 * Locks a reserved key until the transaction ends and returns its answer, if any. Returns undefined when another transaction has the
 * lock.
 */
export async function lockKey(
  tx: Tx,
  key: IdempotencyKey,
  nowMs: number,
): Promise<{ stored: StoredAnswer | undefined } | undefined> {
  const [row] = await tx.query<StoredAnswer & { is_answered: boolean }>(sql`
    select body_hash, status, reply, reply is not null and expires_at > ${timestampFromMs(nowMs)} as is_answered
    from idempotency where ${ofKey(key)} for update skip locked`)
  if (!row) return undefined
  const { is_answered, ...stored } = row
  return { stored: is_answered ? stored : undefined }
}

/** Stores the answer of a locked key until `untilMs`. */
export async function keepAnswer(tx: Tx, key: IdempotencyKey, answer: StoredAnswer, untilMs: number): Promise<void> {
  await tx.query(sql`
    update idempotency set body_hash = ${answer.body_hash}, status = ${answer.status},
      reply = ${JSON.stringify(answer.reply)}::json, expires_at = ${timestampFromMs(untilMs)}
    where ${ofKey(key)}`)
}

function ofKey({ workspace_id, key_hash, path }: IdempotencyKey): Sql {
  return sql`workspace_id = ${workspace_id} and key_hash = ${key_hash} and path = ${path}`
}

/** Deletes answers that have expired. */
export async function deleteAnswers(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from idempotency where expires_at <= ${timestampFromMs(nowMs)}`)
}
