import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'

export type UnsubscribesPage = { direction: 'asc' | 'desc'; limit: number; offset: number }

export type UnsubscribedRow = { email: string; unsubscribed_at: Date }

/** Returns addresses of people who unsubscribed from `sinceUs` until before `untilUs` (epoch microseconds), each once, by time. */
export async function listUnsubscribed(
  tx: Tx,
  workspace_id: number,
  sinceUs: number,
  untilUs: number,
  { direction, limit, offset }: UnsubscribesPage,
): Promise<UnsubscribedRow[]> {
  return tx.query(
    prepared(sql`
    select p.email, max(p.email_unsubscribed_at) as unsubscribed_at from profile p
    where p.workspace_id = ${workspace_id} and p.email_subscribe = 'unsubscribed' and p.email is not null
      and p.email_unsubscribed_at >= ${timestampFromUs(sinceUs)}
      and p.email_unsubscribed_at < ${timestampFromUs(untilUs)}
    group by p.email order by unsubscribed_at ${raw(direction)}, p.email limit ${limit} offset ${offset}`),
  )
}

/** Returns the times at which people with this address unsubscribed. */
export async function findUnsubscribed(
  tx: Tx,
  { bucket, workspace_id, email }: { bucket: number; workspace_id: number; email: string },
  { limit, offset }: UnsubscribesPage,
): Promise<UnsubscribedRow[]> {
  return tx.query(sql`
    select c.value as email, max(p.email_unsubscribed_at) as unsubscribed_at
    from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where c.bucket = ${bucket} and c.workspace_id = ${workspace_id} and c.kind = 'email' and c.value = ${email}
      and p.email_subscribe = 'unsubscribed' and p.email_unsubscribed_at is not null
    group by c.value limit ${limit} offset ${offset}`)
}
