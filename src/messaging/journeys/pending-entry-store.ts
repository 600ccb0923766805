import { int4Array, int8Array } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../../people/identity/person.ts'
import { isPendingRow } from '../entries/pending-store.ts'

/** The pending entries of a person in a flow: how many, and when the last was made, epoch milliseconds. */
export type PendingEntries = { readonly count: number; readonly lastMs: number }

/**
 * Returns the pending entries of these people in a flow, by `profile_id`: those for which `isPending` holds. Looks up each person, as
 * `listPeopleWithEntry` does. The filters are not in the `where` clause: there they would allow partial indexes over the entries of all
 * people, which the planner prefers while it takes the table for small.
 */
export async function listPendingEntries(
  tx: Tx,
  people: readonly Person[],
  flow_id: number,
): Promise<Map<string, PendingEntries>> {
  if (people.length === 0) return new Map()
  const rows = await byShard<{ profile_id: string; count: number; at: Date }, Person>(tx, people, (part) =>
    prepared(sql`
    select w.profile_id, e.count, e.at from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ key }) => key))}::int8[]) w(bucket, profile_id)
    cross join lateral (
      select count(*) filter (where ${isPendingRow})::int as count, max(e.entered_at) filter (where ${isPendingRow}) as at from entry e
      where e.bucket = w.bucket and e.profile_id = w.profile_id and e.flow_id = ${flow_id}::int4 ${withinPart(part, 'e')}) e
    where e.count > 0`),
  )
  return new Map(rows.map(({ profile_id, count, at }) => [profile_id, { count, lastMs: at.getTime() }]))
}
