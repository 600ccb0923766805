import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { KeyedMutex } from '../../base/work/keyed-mutex.ts'
import { findNameIds } from '../../workspace/names/names.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { readRange, type SeriesRange, type SeriesUnit } from '../../workspace/tallies/read-range.ts'
import { emptyPoints, readRunningTally, readTally, type TallyPoint } from '../../workspace/tallies/read-tally.ts'
import { type Measure, measureSubject } from '../../workspace/tallies/tally.ts'
import type { Tree } from '../conditions/tree.ts'
import { getSegment } from '../segments/find.ts'
import { countSessions, type HistorySum, sumHistory } from './segment-series-store.ts'
import { sumOfSegment } from './sum-of-segment.ts'

export type SeriesServices = { readonly workspaces: Workspaces; readonly keyedMutex: KeyedMutex }

/** An app, and the id of its name; undefined for one of which nothing was ever counted. */
type ReadApp = { readonly app_id: string; readonly name_id: number | undefined }

/** `tree`: the conditions of the segment whose people alone count. */
type Reading = { readonly range: SeriesRange; readonly app: ReadApp | undefined; readonly tree: Tree | undefined }

/** The part of an app of which nothing was counted. */
const unused = 'unused'

/** Reads what all series have. Throws 400. */
async function read(
  call: Call,
  query: Query,
  { workspaces }: SeriesServices,
  units: readonly SeriesUnit[],
): Promise<Reading> {
  const { db, clock, workspace_id } = call
  const { settings, appIds } = workspaces.get(workspace_id)
  const range = readRange(query, { nowMs: clock.now(), zone: settings.time_zone, units })
  const segment_id = readNonEmpty(query, 'segment_id')
  const tree = segment_id === undefined ? undefined : (await getSegment(db, workspace_id, segment_id)).tree
  const app_id = readNonEmpty(query, 'app_id')
  if (app_id === undefined) return { range, app: undefined, tree }
  const name_id = (await findNameIds(db, workspace_id, 'app', [app_id])).get(app_id)
  if (name_id === undefined && !appIds.has(app_id)) {
    throw invalid("'app_id' must be the id of an app of the workspace")
  }
  return { range, app: { app_id, name_id }, tree }
}

function partOf(app: ReadApp | undefined): string | undefined {
  return app && (app.name_id === undefined ? unused : String(app.name_id))
}

const unitsOfHistory: readonly SeriesUnit[] = ['day', 'hour']

/** Reads how often an event happened (`/events/data_series`). */
export async function readEventSeries(call: Call, query: Query, services: SeriesServices): Promise<TallyPoint[]> {
  const event = readNonEmpty(query, 'event')
  if (event === undefined) throw invalid("'event' is required: the name of an event")
  const reading = await read(call, query, services, unitsOfHistory)
  const name_id = await idOfName(call, 'event', event)
  return name_id === undefined
    ? emptyPoints(reading.range.times)
    : readHistory(call, reading, services, { table: 'event', name_id })
}

/** Reads purchases of one product or of all (`/purchases/quantity_series`, `/purchases/revenue_series`). */
export async function readPurchaseSeries(call: Call, query: Query, services: SeriesServices): Promise<TallyPoint[]> {
  const reading = await read(call, query, services, unitsOfHistory)
  const product = readNonEmpty(query, 'product')
  const name_id = product === undefined ? undefined : await idOfName(call, 'product', product)
  return product !== undefined && name_id === undefined
    ? emptyPoints(reading.range.times)
    : readHistory(call, reading, services, { table: 'purchase', name_id })
}

/** Names that nobody has used are not stored, so that asking for them stores nothing. */
async function idOfName({ db, workspace_id }: Call, kind: 'event' | 'product', name: string) {
  return (await findNameIds(db, workspace_id, kind, [name])).get(name)
}

/** Reads events or purchases: what was counted as it happened, or what the people of a segment did. */
async function readHistory(
  call: Call,
  { range, app, tree }: Reading,
  services: SeriesServices,
  { table, name_id }: { readonly table: 'event' | 'purchase'; readonly name_id: number | undefined },
): Promise<TallyPoint[]> {
  const { db, workspace_id } = call
  if (tree === undefined) {
    const subject = name_id === undefined ? measureSubject(workspace_id, 'purchases') : String(name_id)
    return readTally(db, subject, partOf(app), range)
  }
  if (app && app.name_id === undefined) return emptyPoints(range.times)
  return readSegment(call, tree, range, services, (tx, people) => {
    return sumHistory(tx, people, { table, name_id, app_id: app?.name_id }, range.startsMs)
  })
}

type Sum = (...given: Parameters<Parameters<typeof sumOfSegment>[3]>) => Promise<HistorySum[]>

/** Sums what the people of a segment did. It reads each of them, so the series of a workspace take turns. */
function readSegment(
  { db, clock, workspace_id }: Call,
  tree: Tree,
  range: SeriesRange,
  { keyedMutex }: SeriesServices,
  sum: Sum,
): Promise<TallyPoint[]> {
  return keyedMutex.run(`series of segments of ${workspace_id}`, () => {
    return sumOfSegment(db, { workspace_id, tree, nowMs: clock.now() }, range, sum)
  })
}

/** Reads the sessions of apps (`/sessions/data_series`). */
export async function readSessionSeries(call: Call, query: Query, services: SeriesServices): Promise<TallyPoint[]> {
  const { range, app, tree } = await read(call, query, services, unitsOfHistory)
  if (tree === undefined) {
    return readTally(call.db, measureSubject(call.workspace_id, 'sessions'), partOf(app), range)
  }
  return readSegment(call, tree, range, services, (tx, people) => {
    return countSessions(tx, people, app?.app_id, range.startsMs)
  })
}

/** Reads a measure of the workspace by days. Those of active people count everybody once when no app is given. */
export async function readMeasure(
  call: Call,
  query: Query,
  services: SeriesServices,
  measure: Exclude<Measure, 'purchases' | 'sessions'>,
): Promise<TallyPoint[]> {
  if (readNonEmpty(query, 'segment_id') !== undefined) {
    throw invalid("'segment_id' is not supported here: this is counted for everybody only")
  }
  const { range, app } = await read(call, query, services, ['day'])
  const subject = measureSubject(call.workspace_id, measure)
  if (measure === 'mau') return readRunningTally(call.db, subject, partOf(app) ?? '', range)
  return readTally(call.db, subject, measure === 'dau' ? (partOf(app) ?? '') : partOf(app), range)
}
