import { textArray } from '../db/arrays.ts'
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

/**
 * Claims keys for this transaction, which stores their answers before its end. Waits for other transactions that claim them. Returns
 * whether each was free. Call it before other rows are locked.
 */
export async function claimKeys(
  tx: Tx,
  keys: readonly IdempotencyKey[],
  nowMs: number,
  untilMs: number,
): Promise<boolean[]> {
  const workspaces = keys.map(({ workspace_id }) => workspace_id)
  const hashes = keys.map(({ key_hash }) => key_hash.toString('hex'))
  // In the order of the keys, so that two transactions cannot wait for each other.
  const rows = await tx.query<IdempotencyKey>(sql`
    insert into idempotency (workspace_id, key_hash, path, expires_at)
    select w.workspace_id, decode(w.key_hash, 'hex'), w.path, ${timestampFromMs(untilMs)}
    from unnest(${workspaces}::int[], ${textArray(hashes)}::text[],
      ${textArray(keys.map(({ path }) => path))}::text[]) w(workspace_id, key_hash, path)
    order by w.workspace_id, w.key_hash, w.path
    on conflict (workspace_id, key_hash, path) do update set expires_at = excluded.expires_at, reply = null
    where idempotency.reply is null or idempotency.expires_at <= ${timestampFromMs(nowMs)}
    returning workspace_id, key_hash, path`)
  return keys.map((key) =>
    rows.some(
      (row) => row.workspace_id === key.workspace_id && row.path === key.path && key.key_hash.equals(row.key_hash),
    ),
  )
}

/** Stores the answers of claimed keys until `untilMs`. */
export async function keepAnswers(
  tx: Tx,
  answers: readonly { readonly key: IdempotencyKey; readonly answer: StoredAnswer }[],
  untilMs: number,
): Promise<void> {
  const given = answers.map(({ key, answer }) => ({
    ...{ workspace_id: key.workspace_id, key_hash: key.key_hash.toString('hex'), path: key.path },
    ...{ body_hash: answer.body_hash.toString('hex'), status: answer.status, reply: JSON.stringify(answer.reply) },
  }))
  await tx.query(sql`
    update idempotency i set body_hash = decode(w.body_hash, 'hex'), status = w.status, reply = w.reply::json,
      expires_at = ${timestampFromMs(untilMs)}
    from unnest(${given.map((each) => each.workspace_id)}::int[], ${textArray(given.map((each) => each.key_hash))}::text[],
      ${textArray(given.map((each) => each.path))}::text[], ${textArray(given.map((each) => each.body_hash))}::text[],
      ${given.map((each) => each.status)}::int[], ${textArray(given.map((each) => each.reply))}::text[])
      w(workspace_id, key_hash, path, body_hash, status, reply)
    where i.workspace_id = w.workspace_id and i.key_hash = decode(w.key_hash, 'hex') and i.path = w.path`)
}

function ofKey({ workspace_id, key_hash, path }: IdempotencyKey): Sql {
  return sql`workspace_id = ${workspace_id} and key_hash = ${key_hash} and path = ${path}`
}

/** Deletes answers that have expired. */
export async function deleteAnswers(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(sql`delete from idempotency where expires_at <= ${timestampFromMs(nowMs)}`)
}
