import type { Tx } from '../db/db.ts'
import { type Sql, sql } from '../db/sql.ts'
import { timestampFromMs } from '../db/timestamps.ts'

/** What an `Idempotency-Key` stands for: one request to one path of one workspace. */
export type IdempotencyKey = { readonly workspace_id: number; readonly key_hash: Buffer; readonly path: string }

export type StoredAnswer = { readonly body_hash: Buffer; readonly status: number; readonly reply: object }

/** The answer that is kept for a key, or undefined. */
export async function findAnswer(tx: Tx, key: IdempotencyKey, nowMs: number): Promise<StoredAnswer | undefined> {
  const [row] = await tx.query<StoredAnswer>(sql`
    select body_hash, status, reply from idempotency where ${ofKey(key)} and reply is not null and expires_at > ${timestampFromMs(nowMs)}`)
  return row
}

/** Makes the row of a key, to be locked, until a moment or until it has an answer; where there is one it stays. */
export async function reserveKey(
  tx: Tx,
  { workspace_id, key_hash, path }: IdempotencyKey,
  untilMs: number,
): Promise<void> {
  await tx.query(sql`
    insert into idempotency (workspace_id, key_hash, path, expires_at)
    values (${workspace_id}, ${key_hash}, ${path}, ${timestampFromMs(untilMs)}) on conflict do nothing`)
}

/** Takes a reserved key until the transaction ends, with the answer that is kept by now; undefined when another transaction has it. */
export async function lockKey(
  tx: Tx,
  key: IdempotencyKey,
  nowMs: number,
): Promise<{ kept: StoredAnswer | undefined } | undefined> {
  const [row] = await tx.query<StoredAnswer & { is_answered: boolean }>(sql`
    select body_hash, status, reply, reply is not null and expires_at > ${timestampFromMs(nowMs)} as is_answered
    from idempotency where ${ofKey(key)} for update skip locked`)
  if (!row) return undefined
  const { is_answered, ...kept } = row
  return { kept: is_answered ? kept : undefined }
}

/** Keeps the answer of a key that is locked. */
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
