import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

type DueRow = { due_us: string | null }

/** When the next slot falls due that waits; epoch microseconds. */
export async function findNextSlot(tx: Tx): Promise<number | undefined> {
  return dueOf(
    await tx.query<DueRow>(sql`
    select (extract(epoch from min(s.due_at)) * 1000000)::int8 as due_us
    from (values ('transactional'), ('marketing')) c (class)
    cross join lateral (
      select due_at from dispatch_slot where class = c.class and state = 'waiting' order by due_at limit 1) s`),
  )
}

/** When the next message is due that is queued: one step in the index for each workspace and class. */
export async function findNextMessage(tx: Tx): Promise<number | undefined> {
  return dueOf(
    await tx.query<DueRow>(sql`
    select (extract(epoch from min(m.due_at)) * 1000000)::int8 as due_us
    from workspace w cross join (values ('transactional'), ('marketing')) c (class)
    cross join lateral (
      select due_at from message where workspace_id = w.workspace_id and class = c.class and state = 'queued'
      order by due_at limit 1) m`),
  )
}

function dueOf([row]: readonly DueRow[]): number | undefined {
  return row?.due_us ? Number(row.due_us) : undefined
}

/** What is due now or under way: slots, with messages that have yet to follow their dispatch; and messages. */
export async function listDueKinds(tx: Tx, nowMs: number): Promise<ReadonlySet<'slots' | 'messages'>> {
  const rows = await tx.query<{ kind: 'slots' | 'messages' }>(
    prepared(sql`
    (select 'slots' as kind from dispatch_slot
      where class in ('transactional', 'marketing') and state = 'waiting' and due_at <= ${timestampFromMs(nowMs)} limit 1)
    union all (select 'slots' from dispatch_slot where state = 'running' limit 1)
    union all (select 'slots' from dispatch where unsettled limit 1)
    union all (select 'messages' from message where state in ('leased', 'handed_over') limit 1)
    union all (
      select 'messages' from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select 1 from message where workspace_id = w.workspace_id and class = c.class and state = 'queued'
          and due_at <= ${timestampFromMs(nowMs)} order by due_at limit 1) m
      limit 1)`),
  )
  return new Set(rows.map(({ kind }) => kind))
}
