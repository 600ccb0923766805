import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { channelNames } from '../channels/channels.ts'

/** Due work is counted up to here. */
export const dueCountMax = 50_000

export type DueRow = { work: 'slots' | 'entries' | 'messages' | 'people'; waiting: number; next_at: Date | null }

/**
 * Counts what waits in a workspace until it is due, up to `dueCountMax` of each class and channel: slots of orders, entries of flows,
 * messages, and accepted merges, deletions and identifications, which are due at once. What is paused does not count.
 */
export function listDue(tx: Tx, workspace_id: number): Promise<DueRow[]> {
  return tx.query<DueRow>(sql`
    with classes(class) as (values ('transactional'), ('marketing'))
    select 'slots' as work, count(*)::int4 as waiting, min(w.due_at) as next_at from classes cross join lateral (
      select due_at from dispatch_slot where class = classes.class and state = 'waiting' and workspace_id = ${workspace_id}
      order by due_at limit ${dueCountMax}) w
    union all
    select 'entries', count(*)::int4, min(w.due_at) from classes cross join lateral (
      select due_at from entry where workspace_id = ${workspace_id} and class = classes.class
        and state in ('arriving', 'waiting', 'listening') and not held order by due_at limit ${dueCountMax}) w
    union all
    select 'messages', count(*)::int4, min(w.due_at) from classes
    cross join unnest(${textArray(channelNames())}::text[]) h(channel) cross join lateral (
      select due_at from message
      where workspace_id = ${workspace_id} and channel = h.channel and class = classes.class and state = 'queued'
      order by due_at limit ${dueCountMax}) w
    union all
    select 'people', count(*)::int4, min(w.accepted_at) from (
      select accepted_at from work where state = 'waiting' and workspace_id = ${workspace_id}
      order by accepted_at limit ${dueCountMax}) w`)
}

export type PausedFlow = { kind: 'canvas' | 'campaign'; id: string; name: string }

/** Lists paused flows by name. */
export function listPausedFlows(tx: Tx, workspace_id: number, limit: number): Promise<PausedFlow[]> {
  return tx.query<PausedFlow>(sql`
    select kind, id, name from flow where workspace_id = ${workspace_id} and state = 'paused' and deleted_at is null
    order by kind, name, id limit ${limit}`)
}
