import type { Call } from '../../base/call.ts'
import { parseTime } from '../../base/dates.ts'
import { dayOf, daysBefore } from '../../base/days.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { countingMutex, recordSize } from './daily-sizes.ts'
import { getSegment, getSegmentOfPath, type Segment } from './find.ts'
import { seriesDaysMax, sizeDaysDefault } from './schema.ts'
import { listSizes, type SizeRow } from './size-store.ts'

export type SeriesServices = { workspaces: Workspaces; keyedMutex: KeyedMutex }

type SeriesRequest = Readonly<Record<string, unknown>>

/** No segment was counted before this day. */
const firstDay = '1970-01-01'

/** Lists the daily sizes of a segment: `GET /segments/data_series` (contract 10.4). */
export function querySeries(call: Call, query: Query, services: SeriesServices): Promise<{ data: SizeRow[] }> {
  const [segment_id, length, ending_at, unit] = ['segment_id', 'length', 'ending_at', 'unit'].map((name) =>
    readSingle(query, name),
  )
  const days = length !== undefined && /^\d{1,9}$/.test(length) ? Number(length) : length
  return seriesOf(call, { segment_id, length: days, ending_at, unit }, services)
}

/** Lists the same for a request with a body: `POST /segments/data_series`. */
export async function bodySeries(call: Call, body: unknown, services: SeriesServices): Promise<{ data: SizeRow[] }> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return seriesOf(call, body, services)
}

/**
 * Lists the sizes of the `length` days that end with the day of `ending_at`, without days that have no count. When the last day is today, a
 * tracked segment is counted now.
 */
async function seriesOf(
  call: Call,
  request: SeriesRequest,
  { workspaces, keyedMutex }: SeriesServices,
): Promise<{ data: SizeRow[] }> {
  const { db, workspace_id } = call
  const segment = await getSegment(db, workspace_id, request.segment_id)
  const days = readLength(request.length)
  const endMs = readEnd(request.ending_at)
  if (isGiven(request.unit) && request.unit !== 'day') throw invalid("'unit' must be day")
  return sizesUntil(call, segment, days, endMs, { workspaces, keyedMutex })
}

/**
 * Lists the sizes of the last days of a segment for an administrator. A segment that was counted today is not counted again: that reads
 * everybody, and a page asks whenever it is opened.
 */
export async function adminSizes(
  call: Call,
  workspace_id: number,
  id: string,
  query: Query,
  services: SeriesServices,
): Promise<{ data: SizeRow[] }> {
  const days = readDays(query)
  const segment = await getSegmentOfPath(call.db, workspace_id, id)
  const today = dayOf(call.clock.now(), services.workspaces.get(workspace_id).settings.time_zone)
  const data = await listSizes(call.db, workspace_id, segment.id, daysBefore(today, days - 1), today)
  if (data.some(({ time }) => time === today)) return { data }
  return sizesUntil({ ...call, workspace_id }, segment, days, undefined, services)
}

async function sizesUntil(
  { db, clock, workspace_id }: Call,
  segment: Segment,
  days: number,
  endMs: number | undefined,
  { workspaces, keyedMutex }: SeriesServices,
): Promise<{ data: SizeRow[] }> {
  const workspace = workspaces.get(workspace_id)
  const { time_zone } = workspace.settings
  const today = dayOf(clock.now(), time_zone)
  // Years before 0 and after 9999 are written with a sign, which sorts before all digits.
  const end = endMs === undefined ? today : dayOf(Math.min(endMs, clock.now()), time_zone)
  if (end < firstDay) return { data: [] }
  if (end === today && segment.analytics_tracking_enabled)
    await keyedMutex.run(countingMutex, () => recordSize(db, clock, workspace, segment))
  return { data: await listSizes(db, workspace_id, segment.id, daysBefore(end, days - 1), end) }
}

function readDays(query: Query): number {
  const given = readSingle(query, 'days') ?? String(sizeDaysDefault)
  const days = /^\d{1,9}$/.test(given) ? Number(given) : 0
  if (days < 1 || days > seriesDaysMax) throw invalid(`'days' must be a whole number from 1 to ${seriesDaysMax}`)
  return days
}

function readLength(length: unknown): number {
  if (typeof length === 'number' && Number.isInteger(length) && length >= 1 && length <= seriesDaysMax) return length
  throw invalid(`'length' must be a whole number from 1 to ${seriesDaysMax}`)
}

/** Reads epoch milliseconds. In a query, the plus sign of an offset arrives as a space when it was not encoded. */
function readEnd(value: unknown): number | undefined {
  if (!isGiven(value)) return undefined
  const ms = typeof value === 'string' ? parseTime(value.replace(/(?<=T.*) (?=\d{1,2}:?\d{2}$)/, '+')) : undefined
  if (ms === undefined) throw invalid("'ending_at' is not valid")
  return ms
}
