import { timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { historySources } from '../../people/history/history-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'

/** What happened in one point of a range. `position` counts from 0. */
export type HistorySum = { readonly position: number; readonly count: string; readonly amount: number }

/** Events or purchases. `name_id` and `app_id` undefined: all of them. */
export type CountedHistory = {
  readonly table: 'event' | 'purchase'
  readonly name_id: number | undefined
  readonly app_id: number | undefined
}

/** Sums what these people did, by the points of a range: `startsMs` has the begin of each, and the end of the last one. */
export function sumHistory(
  tx: Tx,
  people: readonly Person[],
  { table, name_id, app_id }: CountedHistory,
  startsMs: readonly number[],
): Promise<HistorySum[]> {
  const [count, amount] =
    table === 'event' ? [sql`count(*)`, sql`0`] : [sql`sum(h.quantity)`, sql`sum(h.price * h.quantity)`]
  return tx.query<HistorySum>(sql`${historySources(people)}
    select ${positionOf(sql`h.time`, startsMs)} as position, ${count}::int8 as count, ${amount}::float8 as amount
    from sources s join ${raw(table)} h on h.bucket = s.bucket and h.profile_id = s.profile_id
    where h.time >= ${timestampFromMs(startsMs[0]!)} and h.time < ${timestampFromMs(startsMs.at(-1)!)}
      and (${name_id === undefined} or h.name_id = ${name_id ?? 0}) and (${app_id === undefined} or h.app_id = ${app_id ?? 0})
    group by position`)
}

/** Counts the sessions of these people, of one app (its id in the interface) or of all. */
export function countSessions(
  tx: Tx,
  people: readonly Person[],
  app_id: string | undefined,
  startsMs: readonly number[],
): Promise<HistorySum[]> {
  return tx.query<HistorySum>(sql`
    select ${positionOf(sql`s.started_at`, startsMs)} as position, count(*)::int8 as count, 0::float8 as amount
    from ${personRows(people)} w(bucket, profile_id)
    join app_session s on s.bucket = w.bucket and s.profile_id = w.profile_id
    where s.started_at >= ${timestampFromMs(startsMs[0]!)} and s.started_at < ${timestampFromMs(startsMs.at(-1)!)}
      and (${app_id === undefined} or s.app_id = ${app_id ?? ''})
    group by position`)
}

function positionOf(time: Sql, startsMs: readonly number[]): Sql {
  return sql`width_bucket(${time}, ${timestampArray(startsMs.map((ms) => ms * 1000))}::timestamptz[])::int4 - 1`
}
