import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** A person's identity at an identity provider: `iss` and `sub` of its tokens. */
export type SignInIdentity = { readonly issuer: string; readonly subject: string }

/** Finds the id of the account that is bound to an identity. */
export async function findBoundAccount(tx: Tx, { issuer, subject }: SignInIdentity): Promise<string | undefined> {
  const [row] = await tx.query<{ account_id: string }>(sql`
    select account_id from sign_in_identity where issuer = ${issuer} and subject = ${subject}`)
  return row?.account_id
}

/** Binds an account to an identity. Returns false when the account or the identity is bound already. */
export async function insertIdentity(
  tx: Tx,
  { issuer, subject }: SignInIdentity,
  account_id: string,
  nowMs: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into sign_in_identity (issuer, subject, account_id, bound_at)
    values (${issuer}, ${subject}, ${account_id}::uuid, ${timestampFromMs(nowMs)})
    on conflict do nothing returning account_id`)
  return rows.length > 0
}

/** Deletes the identities of an account and returns them. */
export function deleteIdentities(tx: Tx, account_id: string): Promise<SignInIdentity[]> {
  return tx.query<SignInIdentity>(sql`
    delete from sign_in_identity where account_id = ${account_id}::uuid returning issuer, subject`)
}
