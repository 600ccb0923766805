import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

export type ScimTokenRow = {
  id: string
  name: string
  token_hash: Buffer
  /** The first characters, by which the holder of the token recognises it. */
  token_start: string
  /** The required value of `X-Request-Origin`; null when the header is not required. */
  origin: string | null
  allowed_ips: string[]
  /** Whether it may change permissions of accounts. */
  may_grant: boolean
  created_at: Date
  last_used_at: Date | null
}

const columns = sql`id, name, token_hash, token_start, origin, allowed_ips, may_grant, created_at, last_used_at`

export function listScimTokens(tx: Tx): Promise<ScimTokenRow[]> {
  return tx.query<ScimTokenRow>(sql`select ${columns} from scim_token order by created_at, name`)
}

export async function insertScimToken(tx: Tx, token: Omit<ScimTokenRow, 'created_at' | 'last_used_at'>, at: Date) {
  const { id, name, token_hash, token_start, origin, allowed_ips, may_grant } = token
  await tx.query(sql`
    insert into scim_token (id, name, token_hash, token_start, origin, allowed_ips, may_grant, created_at)
    select ${id}, ${name}, ${token_hash}::bytea, ${token_start}, ${origin}::text,
      array(select jsonb_array_elements_text(${JSON.stringify(allowed_ips)}::jsonb)), ${may_grant}::boolean,
      ${at.toISOString()}::timestamptz`)
}

/** Replaces the text of a token. The time of its last use is reset. */
export async function updateScimToken(
  tx: Tx,
  { id, token_hash, token_start }: Pick<ScimTokenRow, 'id' | 'token_hash' | 'token_start'>,
): Promise<void> {
  await tx.query(sql`
    update scim_token set token_hash = ${token_hash}::bytea, token_start = ${token_start}, last_used_at = null where id = ${id}`)
}

export async function updateScimTokenOrigin(tx: Tx, id: string, origin: string): Promise<void> {
  await tx.query(sql`update scim_token set origin = ${origin} where id = ${id}`)
}

export async function deleteScimToken(tx: Tx, id: string): Promise<void> {
  await tx.query(sql`delete from scim_token where id = ${id}`)
}

/** Stores when tokens were last used; `at` is an ISO 8601 time. */
export async function updateScimTokenUses(tx: Tx, uses: readonly { id: string; at: string }[]): Promise<void> {
  await tx.query(sql`
    update scim_token set last_used_at = greatest(last_used_at, given.at)
    from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as given (id text, at timestamptz)
    where scim_token.id = given.id`)
}
