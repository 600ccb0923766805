import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'

const madeAt = '2026-01-01T00:00:00Z'

/**
 * Adds the people `from` up to `below` of a workspace with one statement. Their buckets are hashes. Of each person, `plan` is `gold` for a
 * quarter, `score` goes from 0 to 99, and a tenth unsubscribed from e-mail.
 */
export async function addCrowd(db: Db, workspace_id: number, from: number, below: number): Promise<void> {
  await db.query(sql`
    insert into profile (profile_id, bucket, workspace_id, random_bucket, external_id, email_subscribe, custom, created_at, updated_at)
    select (h.bucket::int8 << 51) | ((1700000000000 + h.n)::int8 << 10), h.bucket, ${workspace_id}::int4, h.n % 10000, 'crowd-' || h.n,
      case when h.roll % 10 = 3 then 'unsubscribed' else 'subscribed' end,
      jsonb_build_object('plan', case when h.roll % 4 = 0 then 'gold' else 'free' end, 'score', h.roll % 100),
      ${madeAt}::timestamptz, ${madeAt}::timestamptz
    from (
      select n, (get_byte(b, 0) << 4) + (get_byte(b, 1) >> 4) as bucket, (get_byte(b, 2) << 8) + get_byte(b, 3) as roll
      from (select n, sha256(convert_to('crowd-' || n, 'UTF8')) as b from generate_series(${from}::int4, ${below - 1}::int4) n) s) h`)
}
