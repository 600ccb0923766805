import type { Tx } from '../../base/db/db.ts'
import { type MinuteRow, writeHours, writeMinutes } from './traffic-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** No process has this number. */
const writer = -1

/** A request of the past. */
export type PastRequest = Pick<MinuteRow, 'route' | 'class' | 'items' | 'ms'> & { readonly atMs: number }

/** Counts requests that were answered before now, for a workspace without any: by hour, and the last two hours by minute as well. */
export async function importTraffic(
  tx: Tx,
  workspace_id: number,
  requests: readonly PastRequest[],
  nowMs: number,
): Promise<void> {
  const hour = Math.floor(nowMs / hourMs) * hourMs
  await writeHours(
    tx,
    sumsBy(
      requests.filter(({ atMs }) => atMs < hour),
      workspace_id,
      hourMs,
    ),
  )
  await writeMinutes(
    tx,
    writer,
    sumsBy(
      requests.filter(({ atMs }) => atMs >= hour - hourMs),
      workspace_id,
      minuteMs,
    ),
  )
}

function sumsBy(requests: readonly PastRequest[], workspace_id: number, stepMs: number): MinuteRow[] {
  const rows = new Map<string, MinuteRow>()
  for (const { atMs, route, class: statusClass, items, ms } of requests) {
    const beginMs = Math.floor(atMs / stepMs) * stepMs
    const row = rows.getOrInsertComputed(`${beginMs} ${statusClass} ${route}`, () => {
      return { workspace_id, minuteMs: beginMs, route, class: statusClass, count: 0, items: 0, ms: 0 }
    })
    row.count++
    row.items += items
    row.ms += ms
  }
  return [...rows.values()]
}
