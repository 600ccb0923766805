import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** The kinds of work that may be due, one for each loop. */
export const journeyWorks = ['signals', 'following', 'moves'] as const
export type JourneyWork = (typeof journeyWorks)[number]

/** Returns when an entry falls due next, in epoch microseconds. */
export async function findNextJourneyWork(tx: Tx): Promise<number | undefined> {
  const [row] = await tx.query<{ due_us: string | null }>(
    prepared(sql`
    select (extract(epoch from min(d.due_at)) * 1000000)::int8 as due_us from (
      select e.due_at from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select due_at from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held order by due_at limit 1) e) d`),
  )
  return row?.due_us ? Number(row.due_us) : undefined
}

/** Returns the kinds of work that are due or in progress. */
export async function listDueJourneyWork(tx: Tx, nowMs: number): Promise<JourneyWork[]> {
  const rows = await tx.query<{ work: JourneyWork }>(
    prepared(sql`
    (select 'signals' as work from signal where not failed limit 1)
    union all (select 'following' from flow where unsettled limit 1)
    union all (
      select 'moves' from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select 1 from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held and due_at <= ${timestampFromMs(nowMs)} order by due_at limit 1) e
      limit 1)`),
  )
  return rows.map(({ work }) => work)
}

/** Entries of a flow that are due. */
export type DueInFlow = {
  readonly kind: 'canvas' | 'campaign'
  readonly name: string
  readonly count: number
}

/** Counts the entries that are due by an instant by their flow, those that are due first at the beginning. Looks at up to `max` entries. */
export function listDueByFlow(tx: Tx, dueMs: number, max: number): Promise<DueInFlow[]> {
  return tx.query<DueInFlow>(sql`
    select f.kind, f.name, count(*)::int4 as count from (
      select e.flow_id, e.due_at
      from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select flow_id, due_at from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held and due_at <= ${timestampFromMs(dueMs)}
        order by due_at limit ${max}) e limit ${max}) e
    join flow f on f.flow_id = e.flow_id
    group by f.flow_id, f.kind, f.name order by min(e.due_at), f.flow_id`)
}
