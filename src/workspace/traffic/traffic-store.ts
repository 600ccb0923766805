import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** What a process has answered in a minute. `class` is the first digit of the status, `ms` the time that all answers took. */
export type MinuteRow = {
  readonly workspace_id: number
  readonly minuteMs: number
  readonly route: string
  readonly class: number
  count: number
  items: number
  ms: number
}

/** Writes rows of one writer; the sums replace those that it wrote before. */
export async function writeMinutes(tx: Tx, writer: number, rows: readonly MinuteRow[]): Promise<void> {
  await tx.query(sql`
    insert into traffic_minute (workspace_id, minute, route, class, writer, count, items, ms)
    select v.workspace_id, v.minute, v.route, v.class, ${writer}::int4, v.count, v.items, v.ms
    from unnest(
      ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${timestampArray(rows.map((row) => row.minuteMs * 1_000))}::timestamptz[],
      ${textArray(rows.map((row) => row.route))}::text[],
      ${int4Array(rows.map((row) => row.class))}::int4[],
      ${int4Array(rows.map((row) => row.count))}::int4[],
      ${int8Array(rows.map((row) => String(row.items)))}::int8[],
      ${int8Array(rows.map((row) => String(Math.round(row.ms))))}::int8[])
      v(workspace_id, minute, route, class, count, items, ms)
    on conflict (workspace_id, minute, route, class, writer)
    do update set count = excluded.count, items = excluded.items, ms = excluded.ms`)
}

/** Writes hours that there are none of. `minuteMs` is when an hour begins. */
export async function writeHours(tx: Tx, rows: readonly MinuteRow[]): Promise<void> {
  await tx.query(sql`
    insert into traffic_hour (workspace_id, hour, route, class, count, items, ms) select * from unnest(
      ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${timestampArray(rows.map((row) => row.minuteMs * 1_000))}::timestamptz[],
      ${textArray(rows.map((row) => row.route))}::text[],
      ${int4Array(rows.map((row) => row.class))}::int4[],
      ${int8Array(rows.map((row) => String(row.count)))}::int8[],
      ${int8Array(rows.map((row) => String(row.items)))}::int8[],
      ${int8Array(rows.map((row) => String(Math.round(row.ms))))}::int8[])
    on conflict do nothing`)
}

/** Sums the minutes of whole hours. Summing again gives the same. */
export async function sumHours(tx: Tx, fromMs: number, untilMs: number): Promise<void> {
  await tx.query(sql`
    insert into traffic_hour (workspace_id, hour, route, class, count, items, ms)
    select workspace_id, date_trunc('hour', minute, 'UTC') as hour, route, class, sum(count), sum(items), sum(ms) from traffic_minute
    where minute >= ${timestampFromMs(fromMs)} and minute < ${timestampFromMs(untilMs)}
    group by workspace_id, hour, route, class order by workspace_id, hour, route, class
    on conflict (workspace_id, hour, route, class)
    do update set count = excluded.count, items = excluded.items, ms = excluded.ms`)
}

export async function deleteTraffic(tx: Tx, minutesBeforeMs: number, hoursBeforeMs: number): Promise<void> {
  await tx.query(sql`delete from traffic_minute where minute < ${timestampFromMs(minutesBeforeMs)}`)
  await tx.query(sql`delete from traffic_hour where hour < ${timestampFromMs(hoursBeforeMs)}`)
}

/** Returns the first millisecond that the hours of a workspace do not have; undefined when there are no hours. */
export async function findHoursEnd(tx: Tx, workspace_id: number): Promise<number | undefined> {
  const [row] = await tx.query<{ hour: Date }>(sql`
    select hour from traffic_hour where workspace_id = ${workspace_id} order by workspace_id desc, hour desc limit 1`)
  return row && row.hour.getTime() + 3_600_000
}

export type TrafficRow = { at: string; class: number; count: string; items: string }

/**
 * Sums the requests of a workspace by steps of time and class: hours before `hoursEndMs`, minutes from then on. `at` is the begin of a step
 * in epoch milliseconds.
 */
export function listTraffic(tx: Tx, workspace_id: number, when: TrafficWindow): Promise<TrafficRow[]> {
  const stepSeconds = when.stepMs / 1000
  return tx.query<TrafficRow>(sql`
    select ((floor(extract(epoch from t.at) / ${stepSeconds}::int4) * ${stepSeconds}::int4) * 1000)::int8 as at, t.class,
      sum(t.count)::int8 as count, sum(t.items)::int8 as items
    from (${traffic(workspace_id, when)}) t group by 1, 2 order by 1, 2`)
}

/** Sums the entries of accepted bodies in whole minutes. */
export async function sumItems(tx: Tx, workspace_id: number, fromMs: number, untilMs: number): Promise<number> {
  const [row] = await tx.query<{ items: string }>(sql`
    select coalesce(sum(items), 0)::int8 as items from traffic_minute
    where workspace_id = ${workspace_id} and minute >= ${timestampFromMs(fromMs)} and minute < ${timestampFromMs(untilMs)}`)
  return Number(row!.items)
}

export type RouteRow = { route: string; count: string; refused: string; failed: string; items: string; ms: string }

/** Sums the requests of a workspace by endpoint, those with the most requests first. */
export function listRoutes(tx: Tx, workspace_id: number, when: TrafficWindow, limit: number): Promise<RouteRow[]> {
  return tx.query<RouteRow>(sql`
    select t.route, sum(t.count)::int8 as count, coalesce(sum(t.count) filter (where t.class = 4), 0)::int8 as refused,
      coalesce(sum(t.count) filter (where t.class = 5), 0)::int8 as failed, sum(t.items)::int8 as items, sum(t.ms)::int8 as ms
    from (${traffic(workspace_id, when)}) t group by t.route order by count desc, t.route limit ${limit}`)
}

export type TrafficWindow = {
  readonly fromMs: number
  readonly stepMs: number
  /** From here on minutes are read. */
  readonly hoursEndMs: number
}

function traffic(workspace_id: number, { fromMs, hoursEndMs }: TrafficWindow) {
  return sql`
      select hour as at, route, class, count, items, ms from traffic_hour
      where workspace_id = ${workspace_id} and hour >= ${timestampFromMs(fromMs)} and hour < ${timestampFromMs(hoursEndMs)}
      union all
      select minute, route, class, count, items, ms from traffic_minute
      where workspace_id = ${workspace_id} and minute >= ${timestampFromMs(Math.max(fromMs, hoursEndMs))}`
}
