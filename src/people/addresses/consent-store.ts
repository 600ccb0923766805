import { raw, type Sql, sql } from '../../base/db/sql.ts'
import type { SubscribeState } from '../profile/standard.ts'
import type { ConsentFacts } from './consent.ts'

/** The row that `consentColumns` selects. */
export type ConsentRow = {
  readonly email: string | null
  readonly email_subscribe: SubscribeState | null
  readonly email_subscribe_at: Date | null
  readonly suppression: string | null
  readonly suppressed_at: Date | null
}

/** The columns that decide consent, for a statement with `consentJoin` and the profile as `p`. */
export const consentColumns: Sql = raw(
  'p.email, p.email_subscribe, p.email_subscribe_at, s.reason as suppression, s.at as suppressed_at',
)

/**
 * Joins the earliest suppression of the address of `p`. The bucket and the hash of the address are computed as `people/identity/person.ts`
 * does.
 */
export const consentJoin: Sql = sql`
    left join lateral (
      select x.reason, x.at
      from (select convert_to(p.workspace_id || ${'\u001femail\u001f'}::text || p.email, 'UTF8') as plain) t
      join suppression x on x.bucket = (get_byte(sha256(t.plain), 0) << 4) + (get_byte(sha256(t.plain), 1) >> 4)
        and x.workspace_id = p.workspace_id and x.kind = 'email'
        and x.value = encode(sha256((select secret from installation) || t.plain), 'hex')
      order by x.at limit 1) s on true`

export function consentFacts(row: ConsentRow): ConsentFacts {
  return {
    address: row.email,
    state: row.email_subscribe ?? 'subscribed',
    stateAtMs: row.email_subscribe_at?.getTime() ?? null,
    suppression: row.suppression === null ? null : { reason: row.suppression, atMs: row.suppressed_at?.getTime() ?? 0 },
  }
}
