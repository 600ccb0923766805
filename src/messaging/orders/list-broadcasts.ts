import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import { isCalendarDate, parseQueryTime } from '../../people/values/dates.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { listFlows } from '../flows/find.ts'
import { type Flow, flowKinds, type Recurrence } from '../flows/flow.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { occurrencesOf } from '../flows/recurrence.ts'
import { type Broadcast, badEndTime, endTimeRequired } from './message-schema.ts'

export type BroadcastServices = { workspaces: Workspaces; graphs: Graphs }

const dayMs = 24 * 3_600_000
/** A recurrence comes back within a week; days of zones are up to two apart. */
const weekMs = 10 * dayMs

const types = { canvas: 'Canvas', campaign: 'Campaign' } as const

/**
 * What canvases and campaigns send next by schedules of their own before `end_time` (contract 4.8), the earliest first; each once, however
 * often it comes back. Throws 400.
 */
export async function listBroadcasts(
  { db, clock, workspace_id }: Call,
  query: Query,
  { workspaces, graphs }: BroadcastServices,
): Promise<{ scheduled_broadcasts: Broadcast[] }> {
  const untilMs = readEnd(query)
  const { time_zone } = workspaces.get(workspace_id).settings
  const found: { firstMs: number; broadcast: Broadcast }[] = []
  for (const kind of flowKinds) {
    const active = (await listFlows(db, workspace_id, kind)).filter(({ state }) => state === 'active')
    const graphOf = await graphs.many(db, active)
    for (const flow of active) {
      const { schedule } = graphOf.get(graphKey(flow))!.entry
      const next = schedule && nextOf(schedule, time_zone, clock.now(), untilMs)
      if (next) found.push({ firstMs: next.firstMs, broadcast: describe(flow, next) })
    }
  }
  found.sort((a, b) => a.firstMs - b.firstMs)
  return { scheduled_broadcasts: found.map(({ broadcast }) => broadcast) }
}

type Next = { readonly local: string; readonly firstMs: number; readonly zone: string }

function nextOf(recurrence: Recurrence, zone: string, nowMs: number, untilMs: number): Next | undefined {
  const { from } = recurrence
  const fromMs = Math.max(nowMs, from === undefined ? nowMs : Date.parse(`${from}T00:00Z`) - 2 * dayMs)
  const [next] = occurrencesOf(recurrence, zone, fromMs, Math.min(untilMs, fromMs + weekMs))
  return next
}

function describe({ name, id, kind, tags }: Flow, { local, firstMs, zone }: Next): Broadcast {
  const isLocal = zone === 'local'
  return {
    name,
    id,
    type: types[kind],
    tags: [...tags],
    next_send_time: isLocal ? `${local}:00` : instantIn(zone, firstMs),
    schedule_type: isLocal ? 'local_time_zones' : zone,
  }
}

/** An instant as the clocks of a zone show it, with their offset. */
function instantIn(zone: string, ms: number): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  return at.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** The day in `end_time`, read as its midnight in UTC. */
function readEnd({ end_time }: Query): number {
  const text = end_time?.[0]
  if (!text) throw invalid(endTimeRequired)
  const date = text.slice(0, 10)
  if (!isCalendarDate(date) || parseQueryTime(text) === undefined) throw invalid(badEndTime)
  return Date.parse(`${date}T00:00Z`)
}
