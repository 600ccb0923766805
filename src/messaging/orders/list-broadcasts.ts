import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { parseDay, readNonEmpty } from '../../base/http/query.ts'
import type { Request } from '../../base/http/route.ts'
import { isObject } from '../../people/values/values.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { listFlows } from '../flows/find-flows.ts'
import { type Flow, flowKinds, type Recurrence } from '../flows/flow.ts'
import { type Graphs, graphKey } from '../flows/graphs.ts'
import { type RecurrenceTime, recurrenceTimes } from '../flows/recurrence.ts'
import { badEndTime, endTimeRequired, type ScheduledBroadcast } from './broadcast-schema.ts'

export type BroadcastServices = { workspaces: Workspaces; graphs: Graphs }

const dayMs = 24 * 3_600_000
/** Every recurrence has an occurrence within it: a week, and up to two days between time zones. */
const searchedMs = 10 * dayMs

const types = { canvas: 'Canvas', campaign: 'Campaign' } as const

/**
 * Lists the canvases and campaigns that send by their own schedules before `end_time` (contract 4.8), the earliest first. Each is listed
 * once, with its next time. Throws 400.
 */
export async function listBroadcasts(
  { db, clock, workspace_id }: Call,
  endTime: unknown,
  { workspaces, graphs }: BroadcastServices,
): Promise<{ scheduled_broadcasts: ScheduledBroadcast[] }> {
  const untilMs = readEndTime(endTime)
  const { time_zone } = workspaces.get(workspace_id).settings
  const found: { firstMs: number; broadcast: ScheduledBroadcast }[] = []
  for (const kind of flowKinds) {
    const active = (await listFlows(db, workspace_id, kind)).filter(({ state }) => state === 'active')
    const graphByKey = await graphs.getAll(db, active)
    for (const flow of active) {
      const { schedule } = graphByKey.get(graphKey(flow))!.entry
      const next = schedule && findNext(schedule, time_zone, clock.now(), untilMs)
      if (next) found.push({ firstMs: next.firstMs, broadcast: describeBroadcast(flow, next) })
    }
  }
  found.sort((a, b) => a.firstMs - b.firstMs)
  return { scheduled_broadcasts: found.map(({ broadcast }) => broadcast) }
}

function findNext(recurrence: Recurrence, zone: string, nowMs: number, untilMs: number): RecurrenceTime | undefined {
  const { from } = recurrence
  const fromMs = Math.max(nowMs, from === undefined ? nowMs : Date.parse(`${from}T00:00Z`) - 2 * dayMs)
  const [next] = recurrenceTimes(recurrence, zone, fromMs, Math.min(untilMs, fromMs + searchedMs))
  return next
}

function describeBroadcast(
  { name, id, kind, tags }: Flow,
  { local, firstMs, zone }: RecurrenceTime,
): ScheduledBroadcast {
  const isLocal = zone === 'local'
  return {
    name,
    id,
    type: types[kind],
    tags: [...tags],
    next_send_time: isLocal ? `${local}:00` : formatInZone(zone, firstMs),
    schedule_type: isLocal ? 'local_time_zones' : zone,
  }
}

/** Formats an instant in the local time of a zone, with its offset. */
function formatInZone(zone: string, ms: number): string {
  const at = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
  return at.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** Returns `end_time` of the query. A POST may have it in the body instead. */
export function endTimeOf({ query, body }: Request): unknown {
  return readNonEmpty(query, 'end_time') ?? (isObject(body) ? body.end_time : undefined)
}

/** Returns midnight in UTC of the date in `end_time`, epoch milliseconds. */
function readEndTime(given: unknown): number {
  if (given === undefined || given === null || given === '') throw invalid(endTimeRequired)
  const day = typeof given === 'string' ? parseDay(given) : undefined
  if (day === undefined) throw invalid(badEndTime)
  return Date.parse(day)
}
