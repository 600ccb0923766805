import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Returns when the next slot, or the next plan of a flow besides `skipped`, is due: epoch microseconds. */
export async function findNextDue(tx: Tx, skipped: readonly number[]): Promise<number | undefined> {
  const [row] = await tx.query<{ due_us: string | null }>(
    prepared(sql`
    select (extract(epoch from min(d.due_at)) * 1000000)::int8 as due_us from (
      select s.due_at from (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select due_at from dispatch_slot where class = c.class and state = 'waiting' order by due_at limit 1) s
      union all (
        select plan_at from flow where plan_at is not null and flow_id <> all(${int4Array(skipped)}::int4[])
        order by plan_at limit 1)) d`),
  )
  return row?.due_us ? Number(row.due_us) : undefined
}

/**
 * What is due or in progress: `plans` of flows besides `skipped`; `slots`, and messages that do not have the state of their order yet.
 */
export type DueKind = 'plans' | 'slots'

export async function listDueKinds(tx: Tx, nowMs: number, skipped: readonly number[]): Promise<ReadonlySet<DueKind>> {
  const rows = await tx.query<{ kind: DueKind }>(
    prepared(sql`
    (select 'plans' as kind from flow where plan_at <= ${timestampFromMs(nowMs)} and flow_id <> all(${int4Array(skipped)}::int4[]) limit 1)
    union all (select 'slots' from dispatch_slot
      where class in ('transactional', 'marketing') and state = 'waiting' and due_at <= ${timestampFromMs(nowMs)} limit 1)
    union all (select 'slots' from dispatch_slot where state = 'running' limit 1)
    union all (select 'slots' from dispatch where unsettled limit 1)`),
  )
  return new Set(rows.map(({ kind }) => kind))
}

/** Returns the flow of the first slot that is due by an instant; without kind and name when it belongs to no flow. */
export async function findFirstSlot(
  tx: Tx,
  dueMs: number,
): Promise<{ kind: 'canvas' | 'campaign' | null; name: string | null } | undefined> {
  const [row] = await tx.query<{ kind: 'canvas' | 'campaign' | null; name: string | null }>(sql`
    select f.kind, f.name from (values ('transactional'), ('marketing')) c (class)
    cross join lateral (
      select dispatch_id, due_at from dispatch_slot
      where class = c.class and state = 'waiting' and due_at <= ${timestampFromMs(dueMs)} order by due_at limit 1) s
    left join dispatch d on d.dispatch_id = s.dispatch_id
    left join flow f on f.flow_id = d.flow_id
    order by s.due_at limit 1`)
  return row
}

/** Returns the flow besides `skipped` whose plan is due first by an instant. */
export async function findFirstPlan(
  tx: Tx,
  dueMs: number,
  skipped: readonly number[],
): Promise<{ kind: 'canvas' | 'campaign'; name: string } | undefined> {
  const [row] = await tx.query<{ kind: 'canvas' | 'campaign'; name: string }>(sql`
    select kind, name from flow
    where plan_at <= ${timestampFromMs(dueMs)} and flow_id <> all(${int4Array(skipped)}::int4[]) order by plan_at limit 1`)
  return row
}
