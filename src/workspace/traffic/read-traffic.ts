import type { Tx } from '../../base/db/db.ts'
import { findHoursEnd, listRoutes, listTraffic, sumItems, type TrafficRow } from './traffic-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The columns of a chart show steps of these lengths. An hour is shown by minutes, longer times by whole hours. */
const steps = [minuteMs, hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs] as const
/** The most columns of a chart. */
export const columnsMax = 60
/** A rate is the mean of so many minutes. */
const rateMinutes = 5
/** The endpoints with the most requests that are named. */
export const routesMax = 10

/** A step of time with its answers: `ok` below 400, `refused` 4xx, `failed` 5xx. `updates` are the entries of accepted bodies. */
export type TrafficColumn = { at: string; ok: number; refused: number; failed: number; updates: number }

export type TrafficSummary = {
  stepMs: number
  columns: TrafficColumn[]
  ok: number
  refused: number
  failed: number
  updates: number
  routes: { route: string; count: number; refused: number; failed: number; items: number; mean_ms: number }[]
}

/** Returns the length of a column: the shortest one of which at most `columnsMax` cover the hours. Pure. */
export function stepOf(hours: number): number {
  return steps.find((step) => (hours * hourMs) / step <= columnsMax) ?? steps.at(-1)!
}

/** Returns the begin of every column up to the one of now, the earliest first. Pure. */
export function columnsOf(hours: number, nowMs: number, stepMs: number): number[] {
  const last = Math.floor(nowMs / stepMs) * stepMs
  const count = Math.ceil((hours * hourMs) / stepMs)
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * stepMs)
}

/** Reads the answered requests of a workspace in the last hours, in machine time. */
export async function readTraffic(tx: Tx, workspace_id: number, hours: number, nowMs: number): Promise<TrafficSummary> {
  const stepMs = stepOf(hours)
  const begins = columnsOf(hours, nowMs, stepMs)
  const fromMs = begins[0]!
  // Minutes are shown from minutes.
  const hoursEndMs = stepMs < hourMs ? 0 : ((await findHoursEnd(tx, workspace_id)) ?? 0)
  const when = { fromMs, stepMs, hoursEndMs }
  const rows = Map.groupBy(await listTraffic(tx, workspace_id, when), ({ at }) => Number(at))
  const columns = begins.map((ms) => columnOf(ms, rows.get(ms) ?? []))
  const routes = await listRoutes(tx, workspace_id, when, routesMax)
  const sum = (name: 'ok' | 'refused' | 'failed' | 'updates') => columns.reduce((all, column) => all + column[name], 0)
  return {
    stepMs,
    columns,
    ok: sum('ok'),
    refused: sum('refused'),
    failed: sum('failed'),
    updates: sum('updates'),
    routes: routes.map(({ route, count, refused, failed, items, ms }) => ({
      route,
      count: Number(count),
      refused: Number(refused),
      failed: Number(failed),
      items: Number(items),
      mean_ms: Number(ms) / Number(count),
    })),
  }
}

/** Returns how many updates were accepted a minute in the last whole minutes, by machine time. */
export async function readUpdatesAMinute(tx: Tx, workspace_id: number, nowMs: number): Promise<number> {
  const untilMs = Math.floor(nowMs / minuteMs) * minuteMs
  const items = await sumItems(tx, workspace_id, untilMs - rateMinutes * minuteMs, untilMs)
  return items / rateMinutes
}

function columnOf(ms: number, rows: readonly TrafficRow[]): TrafficColumn {
  const sum = (among: (row: TrafficRow) => boolean, name: 'count' | 'items') =>
    rows.filter(among).reduce((all, row) => all + Number(row[name]), 0)
  return {
    at: new Date(ms).toISOString(),
    ok: sum((row) => row.class < 4, 'count'),
    refused: sum((row) => row.class === 4, 'count'),
    failed: sum((row) => row.class > 4, 'count'),
    updates: sum(() => true, 'items'),
  }
}
