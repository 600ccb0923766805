import { onEveryShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { firstDue } from '../../base/work/due-work.ts'

/** The kinds of work that may be due, one for each loop. */
export const journeyWorks = ['signals', 'following', 'moves'] as const
export type JourneyWork = (typeof journeyWorks)[number]

/** Returns when an entry falls due next, in epoch microseconds. */
export async function findNextJourneyWork(tx: Tx): Promise<number | undefined> {
  const rows = await onEveryShard<{ due_us: string | null }>(tx, (part) =>
    prepared(sql`
    select (extract(epoch from min(d.due_at)) * 1000000)::int8 as due_us from (
      select e.due_at from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select due_at from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held ${withinPart(part, 'entry')} order by due_at limit 1) e) d`),
  )
  return firstDue(rows)
}

/** Returns the kinds of work that are due or in progress. */
export async function listDueJourneyWork(tx: Tx, nowMs: number): Promise<JourneyWork[]> {
  const dueIn = (part: ShardPart) =>
    prepared(sql`
    (select 'signals' as work from signal where not failed ${withinPart(part, 'signal')} limit 1)
    union all (select 'following' from flow where unsettled limit 1)
    union all (
      select 'moves' from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select 1 from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held and due_at <= ${timestampFromMs(nowMs)}
          ${withinPart(part, 'entry')} order by due_at limit 1) e
      limit 1)`)
  const kindsOf = (rows: readonly { readonly work: JourneyWork }[]) =>
    journeyWorks.filter((kind) => rows.some(({ work }) => work === kind))
  const rows = await untilFull<{ work: JourneyWork }>(
    tx,
    dueIn,
    (found) => kindsOf(found).length === journeyWorks.length,
  )
  return kindsOf(rows)
}

/** Entries of a flow that are due. */
export type DueInFlow = {
  readonly kind: 'canvas' | 'campaign'
  readonly name: string
  readonly count: number
}

/** Counts the entries that are due by an instant by their flow, those that are due first at the beginning. Looks at up to `max` entries. */
export async function listDueByFlow(tx: Tx, dueMs: number, max: number): Promise<DueInFlow[]> {
  const rows = await onEveryShard<DueInFlow & { flow_id: number; first_at: Date }>(
    tx,
    (part) => sql`
    select f.kind, f.name, count(*)::int4 as count, f.flow_id, min(e.due_at) as first_at from (
      select e.flow_id, e.due_at
      from workspace w cross join (values ('transactional'), ('marketing')) c (class)
      cross join lateral (
        select flow_id, due_at from entry where workspace_id = w.workspace_id and class = c.class
          and state in ('arriving', 'waiting', 'listening') and not held and due_at <= ${timestampFromMs(dueMs)}
          ${withinPart(part, 'entry')} order by due_at limit ${max}) e limit ${max}) e
    join flow f on f.flow_id = e.flow_id
    group by f.flow_id, f.kind, f.name order by min(e.due_at), f.flow_id`,
  )
  if (tx.placement === undefined) return rows.map(({ kind, name, count }) => ({ kind, name, count }))
  return addShards(rows, max)
}

/** Adds what each shard counted. The most that are counted of a shard are the most of all. */
function addShards(rows: readonly (DueInFlow & { flow_id: number; first_at: Date })[], max: number): DueInFlow[] {
  const flows = [...Map.groupBy(rows, ({ flow_id }) => flow_id).values()].map((own) => ({
    ...own[0]!,
    first_at: new Date(Math.min(...own.map(({ first_at }) => first_at.getTime()))),
    count: own.reduce((sum, { count }) => sum + count, 0),
  }))
  flows.sort((one, other) => one.first_at.getTime() - other.first_at.getTime() || one.flow_id - other.flow_id)
  let left = max
  return flows.flatMap(({ kind, name, count }) => {
    const counted = Math.min(count, left)
    left -= counted
    return counted === 0 ? [] : [{ kind, name, count: counted }]
  })
}
