import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Query } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { parseTime } from '../../people/values/dates.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { countingMutex, recordSize } from './daily-sizes.ts'
import { dayOf, daysBefore } from './days.ts'
import { getSegment } from './find.ts'
import { seriesDaysMax } from './schema.ts'
import { listSizes, type SizeRow } from './size-store.ts'

export type SeriesServices = { workspaces: Workspaces; keyedMutex: KeyedMutex }

type SeriesRequest = Readonly<Record<string, unknown>>

/** Nothing was counted before this day. */
const firstDay = '1970-01-01'

/** Sizes of a segment day by day (contract 10.4), asked for in a query. */
export function querySeries(call: Call, query: Query, parts: SeriesServices): Promise<{ data: SizeRow[] }> {
  const asked = Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values?.[0]]))
  return seriesOf(call, asked, parts)
}

/** The same asked for in a body. */
export async function bodySeries(call: Call, body: unknown, parts: SeriesServices): Promise<{ data: SizeRow[] }> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return seriesOf(call, body, parts)
}

/**
 * The days on which it was counted, of the `length` days that end with the day of `ending_at`. The day that is not over yet is counted
 * now.
 */
async function seriesOf(
  call: Call,
  asked: SeriesRequest,
  { workspaces, keyedMutex }: SeriesServices,
): Promise<{ data: SizeRow[] }> {
  const { db, clock, workspace_id } = call
  const segment = await getSegment(db, workspace_id, asked.segment_id)
  const days = readLength(asked.length)
  const endMs = readEnd(asked.ending_at)
  if (isGiven(asked.unit) && asked.unit !== 'day') throw invalid("'unit' must be day")
  const here = workspaces.get(workspace_id)
  const { time_zone } = here.settings
  const today = dayOf(clock.now(), time_zone)
  // The years before 0 and after 9999 are written with a sign, which sorts before every digit.
  const end = endMs === undefined ? today : dayOf(Math.min(endMs, clock.now()), time_zone)
  if (end < firstDay) return { data: [] }
  if (end === today && segment.analytics_tracking_enabled)
    await keyedMutex.run(countingMutex, () => recordSize(db, clock, here, segment))
  return { data: await listSizes(db, workspace_id, segment.id, daysBefore(end, days - 1), end) }
}

function readLength(value: unknown): number {
  const length = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof length === 'number' && Number.isInteger(length) && length >= 1 && length <= seriesDaysMax) return length
  throw invalid(`'length' must be a whole number from 1 to ${seriesDaysMax}`)
}

/** Epoch milliseconds. In a query the plus sign of an offset that was not encoded arrives as a space. */
function readEnd(value: unknown): number | undefined {
  if (!isGiven(value)) return undefined
  const ms = typeof value === 'string' ? parseTime(value.replace(/(?<=T.*) (?=\d{1,2}:?\d{2}$)/, '+')) : undefined
  if (ms === undefined) throw invalid("'ending_at' is not valid")
  return ms
}
