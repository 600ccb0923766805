import { raw, type Sql, sql } from '../../base/db/sql.ts'
import type { SubscribeState } from '../profile/standard.ts'
import type { ConsentFacts } from './consent.ts'

/** What `consentColumns` reads. */
export type ConsentRow = {
  readonly email: string | null
  readonly email_subscribe: SubscribeState | null
  readonly email_subscribe_at: Date | null
  readonly suppression: string | null
  readonly suppressed_at: Date | null
}

/** Columns of a statement that has the person's profile as `p` and `consentJoin`. */
export const consentColumns: Sql = raw(
  'p.email, p.email_subscribe, p.email_subscribe_at, s.reason as suppression, s.at as suppressed_at',
)

/**
 * The first reason that the address of `p` is not written to, looked up where it lies; its place and its hash as `profiles/ref.ts` makes
 * them.
 */
export const consentJoin: Sql = sql`
    left join lateral (
      select x.reason, x.at
      from (select convert_to(p.workspace_id || ${'\u001femail\u001f'}::text || p.email, 'UTF8') as named) t
      join suppression x on x.bucket = (get_byte(sha256(t.named), 0) << 4) + (get_byte(sha256(t.named), 1) >> 4)
        and x.workspace_id = p.workspace_id and x.kind = 'email'
        and x.value = encode(sha256((select secret from installation) || t.named), 'hex')
      order by x.at limit 1) s on true`

export function consentFacts(row: ConsentRow): ConsentFacts {
  return {
    address: row.email,
    state: row.email_subscribe ?? 'subscribed',
    stateAtMs: row.email_subscribe_at?.getTime() ?? null,
    suppression: row.suppression === null ? null : { reason: row.suppression, atMs: row.suppressed_at?.getTime() ?? 0 },
  }
}
