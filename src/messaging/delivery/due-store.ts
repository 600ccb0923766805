import { textArray } from '../../base/db/arrays.ts'
import { onEveryShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { firstDue } from '../../base/work/due-work.ts'
import { channelNames } from '../channels/channels.ts'

/** Returns when the next queued message is due, epoch microseconds. Takes one step in the index for each lane. */
export async function findNextMessage(tx: Tx): Promise<number | undefined> {
  const rows = await onEveryShard<{ due_us: string | null }>(
    tx,
    (part) => sql`
    select (extract(epoch from min(m.due_at)) * 1000000)::int8 as due_us
    from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
    cross join lateral (
      select due_at from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
      ${withinPart(part, 'message')} order by due_at limit 1) m`,
  )
  return firstDue(rows)
}

/** Returns whether any message is due, leased or in flight. */
export async function hasDueMessages(tx: Tx, nowMs: number): Promise<boolean> {
  const dueIn = (part: ShardPart) =>
    prepared(sql`
    (select 1 from message where state in ('leased', 'handed_over') ${withinPart(part, 'message')} limit 1)
    union all (
      select 1 from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
      cross join lateral (
        select 1 from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
          and due_at <= ${timestampFromMs(nowMs)} ${withinPart(part, 'message')} order by due_at limit 1) m
      limit 1)`)
  const rows = await untilFull(tx, dueIn, (found) => found.length > 0)
  return rows.length > 0
}

/** Counts the queued messages that are due by an instant, up to `max`. */
export async function countDueMessages(tx: Tx, dueMs: number, max: number): Promise<number> {
  const counts = await onEveryShard<{ count: number }>(
    tx,
    (part) => sql`
    select count(*)::int4 as count from (
      select 1 from workspace w cross join (values ('transactional'), ('marketing')) c (class) cross join ${channelRows()} h (channel)
      cross join lateral (
        select 1 from message where workspace_id = w.workspace_id and channel = h.channel and class = c.class and state = 'queued'
          and due_at <= ${timestampFromMs(dueMs)} ${withinPart(part, 'message')} limit ${max}) m
      limit ${max}) due`,
  )
  return Math.min(
    counts.reduce((sum, { count }) => sum + count, 0),
    max,
  )
}

function channelRows(): Sql {
  return sql`unnest(${textArray(channelNames())}::text[])`
}
