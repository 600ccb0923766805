import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

export type ApiKeyRow = {
  id: string
  workspace_id: number
  name: string
  key_hash: Buffer
  /** The first characters, by which the holder of the key recognises it. */
  key_start: string
  permissions: string[]
  allowed_ips: string[]
  /** Whether an object is refused when a part of it would not be kept. */
  strict: boolean
  created_at: Date
  last_used_at: Date | null
}

export function listAllApiKeys(tx: Tx): Promise<ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(sql`
    select id, workspace_id, name, key_hash, key_start, permissions, allowed_ips, strict, created_at, last_used_at
    from api_key order by created_at, name`)
}

export function listApiKeys(tx: Tx, workspace_id: number): Promise<ApiKeyRow[]> {
  return tx.query<ApiKeyRow>(sql`
    select id, workspace_id, name, key_hash, key_start, permissions, allowed_ips, strict, created_at, last_used_at
    from api_key where workspace_id = ${workspace_id} order by created_at, name`)
}

export type NewApiKey = Omit<ApiKeyRow, 'workspace_id' | 'created_at' | 'last_used_at'>

/** Returns the ids of the keys that were written. A key is not written when its id, text or name is taken. */
export async function insertApiKeys(
  tx: Tx,
  workspace_id: number,
  keys: readonly NewApiKey[],
  at: Date,
): Promise<Set<string>> {
  const rows = keys.map((key) => ({ ...key, key_hash: key.key_hash.toString('hex') }))
  const written = await tx.query<{ id: string }>(sql`
    insert into api_key (id, workspace_id, name, key_hash, key_start, permissions, allowed_ips, strict, created_at)
    select id, ${workspace_id}::int, name, decode(key_hash, 'hex'), key_start, permissions, allowed_ips, strict,
      ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id text, name text, key_hash text, key_start text, permissions text[], allowed_ips text[], strict boolean)
    on conflict do nothing
    returning id`)
  return new Set(written.map((row) => row.id))
}

export async function deleteApiKey(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const gone = await tx.query(sql`delete from api_key where workspace_id = ${workspace_id} and id = ${id} returning id`)
  return gone.length > 0
}

/** Stores when keys were last used; `at` is an ISO 8601 time. */
export async function updateApiKeyUses(tx: Tx, uses: readonly { id: string; at: string }[]): Promise<void> {
  await tx.query(sql`
    update api_key set last_used_at = greatest(last_used_at, given.at)
    from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as given (id text, at timestamptz)
    where api_key.id = given.id`)
}
