import { textArray } from '../../base/db/arrays.ts'
import { onEveryShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { isPendingRow } from '../entries/pending-store.ts'
import { trailMax } from '../entries/trail.ts'

export type WaitingRow = {
  readonly version: number
  readonly step: string
  readonly waiting: number
  readonly held: number
}

/**
 * Counts the open entries of a flow that have begun, and those of them that are held back, by version and step. All and those that begin
 * later are counted by an index each, so that no entry has to be read.
 */
export function countStanding(tx: Tx, flow_id: number): Promise<WaitingRow[]> {
  return tx.query<WaitingRow>(sql`
    with pending as (
      select e.version, e.step, count(*) as count, count(*) filter (where e.held) as held
      from entry e where e.flow_id = ${flow_id} and ${isPendingRow} group by e.version, e.step),
    standing as (
      select e.version, e.step, count(*) as count, count(*) filter (where e.held) as held
      from entry e where e.flow_id = ${flow_id} and e.state <> 'ended' group by e.version, e.step)
    select s.version, s.step, (s.count - coalesce(p.count, 0))::int4 as waiting, (s.held - coalesce(p.held, 0))::int4 as held
    from standing s left join pending p on p.version = s.version and p.step = s.step
    where s.count > coalesce(p.count, 0)`)
}

/**
 * Returns when the entry that waits longest at each of these steps arrived there, epoch milliseconds. A step is missing when no entry says
 * when it arrived. The last arrival of a full trail may be an earlier one.
 */
export async function findLongest(
  tx: Tx,
  { flow_id, version }: { readonly flow_id: number; readonly version: number },
  steps: readonly string[],
): Promise<Map<string, number>> {
  if (steps.length === 0) return new Map()
  const rows = await onEveryShard<{ step: string; ms: number }>(
    tx,
    (part) => sql`
    select w.step, o.ms from unnest(${textArray(steps)}::text[]) w(step)
    cross join lateral (
      select min((e.trail -> -1 ->> 1)::float8) as ms from entry e
      where e.flow_id = ${flow_id}::int4 and e.held in (false, true) and e.version = ${version}::int4 and e.step = w.step
        and e.state <> 'ended' and e.trail -> -1 ->> 0 = e.step
        and jsonb_array_length(e.trail) < ${trailMax}::int4 ${withinPart(part, 'e')}) o
    where o.ms is not null`,
  )
  const longest = new Map<string, number>()
  for (const { step, ms } of rows) longest.set(step, Math.min(ms, longest.get(step) ?? ms))
  return longest
}
