import { textArray } from '../../base/db/arrays.ts'
import { onEveryShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { channelNames } from '../channels/channels.ts'

/** Due work is counted up to here. */
export const dueCountMax = 50_000

export type DueRow = { work: 'slots' | 'entries' | 'messages' | 'people'; waiting: number; next_at: Date | null }

/**
 * Counts what waits in a workspace until it is due, up to `dueCountMax` of each class and channel: slots of orders, entries of flows,
 * messages, and accepted merges, deletions and identifications, which are due at once. What is paused does not count.
 */
export async function listDue(tx: Tx, workspace_id: number): Promise<DueRow[]> {
  if (tx.placement === undefined) {
    return tx.query<DueRow>(sql`${classes}
    ${dueSlots(workspace_id)}
    union all
    ${duePeople(workspace_id, { items: [] })}`)
  }
  // Slots are on one node, and counted once.
  const slots = await tx.query<DueRow>(sql`${classes} ${dueSlots(workspace_id)}`)
  const rows = await onEveryShard<DueRow>(tx, (part) => sql`${classes} ${duePeople(workspace_id, part)}`)
  return [...slots, ...[...Map.groupBy(rows, ({ work }) => work).values()].map(addShards)]
}

const classes = sql`
    with classes(class) as (values ('transactional'), ('marketing'))`

function dueSlots(workspace_id: number): Sql {
  return sql`select 'slots' as work, count(*)::int4 as waiting, min(w.due_at) as next_at from classes cross join lateral (
      select due_at from dispatch_slot where class = classes.class and state = 'waiting' and workspace_id = ${workspace_id}
      order by due_at limit ${dueCountMax}) w`
}

function duePeople(workspace_id: number, part: ShardPart): Sql {
  return sql`select 'entries' as work, count(*)::int4 as waiting, min(w.due_at) as next_at from classes cross join lateral (
      select due_at from entry where workspace_id = ${workspace_id} and class = classes.class
        and state in ('arriving', 'waiting', 'listening') and not held ${withinPart(part, 'entry')} order by due_at limit ${dueCountMax}) w
    union all
    select 'messages', count(*)::int4, min(w.due_at) from classes
    cross join unnest(${textArray(channelNames())}::text[]) h(channel) cross join lateral (
      select due_at from message
      where workspace_id = ${workspace_id} and channel = h.channel and class = classes.class and state = 'queued'
      ${withinPart(part, 'message')} order by due_at limit ${dueCountMax}) w
    union all
    select 'people', count(*)::int4, min(w.accepted_at) from (
      select accepted_at from work where state = 'waiting' and workspace_id = ${workspace_id} ${withinPart(part, 'work')}
      order by accepted_at limit ${dueCountMax}) w`
}

function addShards(rows: readonly DueRow[]): DueRow {
  const times = rows.flatMap(({ next_at }) => next_at?.getTime() ?? [])
  return {
    work: rows[0]!.work,
    waiting: rows.reduce((sum, { waiting }) => sum + waiting, 0),
    next_at: times.length === 0 ? null : new Date(Math.min(...times)),
  }
}

export type PausedFlow = { kind: 'canvas' | 'campaign'; id: string; name: string }

/** Lists paused flows by name. */
export function listPausedFlows(tx: Tx, workspace_id: number, limit: number): Promise<PausedFlow[]> {
  return tx.query<PausedFlow>(sql`
    select kind, id, name from flow where workspace_id = ${workspace_id} and state = 'paused' and deleted_at is null
    order by kind, name, id limit ${limit}`)
}
