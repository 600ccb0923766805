import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { listOwners } from '../identity/owner-profile-store.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

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
export function findUnsubscribed(tx: Tx, address: PlacedEmail, page: UnsubscribesPage): Promise<UnsubscribedRow[]> {
  return (tx.placement === undefined ? joinUnsubscribed : lookUnsubscribedUp)(tx, address, page)
}

/** An e-mail address with its bucket. */
type PlacedEmail = { readonly bucket: number; readonly workspace_id: number; readonly email: string }

function joinUnsubscribed(
  tx: Tx,
  { bucket, workspace_id, email }: PlacedEmail,
  { limit, offset }: UnsubscribesPage,
): Promise<UnsubscribedRow[]> {
  return tx.query(sql`
    select c.value as email, max(p.email_unsubscribed_at) as unsubscribed_at
    from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where c.bucket = ${bucket} and c.workspace_id = ${workspace_id} and c.kind = 'email' and c.value = ${email}
      and p.email_subscribe = 'unsubscribed' and p.email_unsubscribed_at is not null
    group by c.value limit ${limit} offset ${offset}`)
}

/** Does the same in two steps, because the people may be on other shards than the address. */
async function lookUnsubscribedUp(
  tx: Tx,
  { bucket, workspace_id, email }: PlacedEmail,
  { limit, offset }: UnsubscribesPage,
): Promise<UnsubscribedRow[]> {
  const owners = await listOwners(tx, [{ bucket, workspace_id, kind: 'email', value: email }])
  const rows = await byShard<{ at: Date | null }, Person>(tx, owners.flat(), (part) =>
    prepared(sql`
    select max(p.email_unsubscribed_at) as at from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.email_subscribe = 'unsubscribed' ${withinPart(part, 'p')}`),
  )
  const times = rows.flatMap(({ at }) => at?.getTime() ?? [])
  const found = times.length === 0 ? [] : [{ email, unsubscribed_at: new Date(Math.max(...times)) }]
  return found.slice(offset, offset + limit)
}
