import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { channelNames } from '../channels/channels.ts'

/** Returns when the next queued message is due, epoch microseconds. Takes one step in the index for each lane. */
export async function findNextMessage(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.query<{ due_us: string | null }>(sql`
    select (extract(epoch from min(m.due_at)) * 1000000)::int8 as due_us
    from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
    cross join lateral (
      select due_at from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
      order by due_at limit 1) m`)
  return row?.due_us ? Number(row.due_us) : undefined
}

/** Returns whether any message is due, leased or in flight. */
export async function hasDueMessages(tx: Tx, nowMs: number): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    (select 1 from message where state in ('leased', 'handed_over') limit 1)
    union all (
      select 1 from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
      cross join lateral (
        select 1 from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
          and due_at <= ${timestampFromMs(nowMs)} order by due_at limit 1) m
      limit 1)`),
  )
  return rows.length > 0
}

/** Counts the queued messages that are due by an instant, up to `max`. */
export async function countDueMessages(tx: Tx, dueMs: number, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from (
      select 1 from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
      cross join lateral (
        select 1 from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
          and due_at <= ${timestampFromMs(dueMs)} limit ${max}) m
      limit ${max}) due`)
  return row!.count
}

function channelRows(): Sql {
  return sql`unnest(${textArray(channelNames())}::text[])`
}
