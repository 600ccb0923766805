import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { HashPerson } from '../../people/merge/person-hash.ts'
import { findPathPerson, unknownPerson } from '../../people/search/find-path-person.ts'
import { findNamesById } from '../../workspace/names/names.ts'
import { historyCutoffMs, ledgerCutoffMs } from '../../workspace/settings/retention.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { DescribeServices } from '../why/describe-decisions.ts'
import { findEntryOrders, findStamps } from '../why/flow-explanation-store.ts'
import { itemOf, type TimelineWords } from './items.ts'
import { readRows, type Sources } from './read-rows.ts'
import type { TimelineRow } from './rows.ts'
import {
  type TimelineKind,
  type TimelineReply,
  timelineDefault,
  timelineKinds,
  timelineMax,
  timelineMsMax,
} from './schema.ts'

export type TimelineServices = DescribeServices & {
  readonly workspaces: Workspaces
  readonly hashPerson: HashPerson
  parseServiceId(text: string): string | undefined
}

/** Where a page begins: at the items of this microsecond, of which the first ones were on earlier pages. */
type TimelineCursor = { readonly us: number; readonly skip: number }

/** Later than every item. A time of the future counts as now, but the clocks of two processes may differ. */
const endOfTimeUs = Date.UTC(9999, 0) * 1000

/**
 * Reads what happened to a person, newest first, as of one moment: as many items as a page has, or those that are found in two seconds. A
 * merged person leads to the person who was kept. Throws 400 and 404.
 */
export async function readTimeline(
  call: Call,
  workspace_id: number,
  { id, query }: { readonly id: string; readonly query: Query },
  services: TimelineServices,
): Promise<TimelineReply> {
  const { db, clock } = call
  const limit = readLimit(query, timelineDefault, timelineMax)
  const kinds = readKinds(query)
  const cursor = readCursor(query)
  let untilMs = Number.POSITIVE_INFINITY
  const sources: Sources = {
    kinds,
    rowsMax: limit + cursor.skip + 1,
    beforeUs: cursor.us + 1,
    cutoffUs: cutoffUs(clock.now(), services.workspaces),
    isTimeUp: () => clock.elapsed() >= untilMs,
    personHash: (profile_id) => services.hashPerson(workspace_id, 'profile', profile_id),
  }
  const read = await db.transaction(
    async (tx) => {
      // The time that the transaction waited for a connection is not time in which it looked.
      untilMs = clock.elapsed() + timelineMsMax
      const { found, askedId } = await findPathPerson(tx, workspace_id, id, services)
      const stamps = await findStamps(tx, found)
      if (!stamps) throw unknownPerson()
      const { rows, searchedUs } = await readRows(tx, found, sources, clock.now() * 1000)
      const page = rows.slice(cursor.skip, cursor.skip + limit)
      const hasMore = rows.length > cursor.skip + limit
      return {
        found,
        askedId,
        stamps,
        page,
        next: nextOf(page, hasMore, searchedUs, cursor),
        ...(await loadRelated(tx, page)),
      }
    },
    { settings: readOnlySnapshot },
  )
  const { found, askedId, stamps, page, next, flows, entryOrders } = read
  const { apps, settings } = services.workspaces.get(workspace_id)
  const names = await findNamesById(
    db,
    page.flatMap((row) => ('name_id' in row ? [row.name_id] : [])),
  )
  const trouble = (channel: string) => services.delivery?.trouble(channel, workspace_id)
  const words: TimelineWords = { names, apps, flows, entryOrders, nowMs: clock.now(), trouble }
  return {
    id: services.formatServiceId(found.profile_id),
    merged_from: found.profile_id === askedId ? null : services.formatServiceId(askedId),
    time_zone: stamps.time_zone ?? completeSettings(settings).time_zone,
    items: page.map((row) => itemOf(row, words)),
    searched_until: next && new Date(next.us / 1000).toISOString(),
    cursor: next && formatCursor(next),
  }
}

/** Returns where the next page begins; null at the end. */
function nextOf(
  page: readonly TimelineRow[],
  hasMore: boolean,
  searchedUs: number | undefined,
  after: TimelineCursor,
): TimelineCursor | null {
  if (!hasMore) return searchedUs === undefined ? null : { us: searchedUs - 1, skip: 0 }
  const us = Number(page.at(-1)!.us)
  const here = page.filter((row) => Number(row.us) === us).length
  return { us, skip: here + (after.us === us ? after.skip : 0) }
}

async function loadRelated(tx: Tx, page: readonly TimelineRow[]) {
  const ofFlows = page.flatMap((row) =>
    'flow_id' in row && row.flow_id !== null ? [{ ...row, flow_id: row.flow_id }] : [],
  )
  const causes = ofFlows.flatMap((row) => ('cause' in row ? [{ bucket: row.bucket, cause: row.cause }] : []))
  const [flows, entryOrders] = await Promise.all([
    flowsById(
      tx,
      ofFlows.map(({ flow_id }) => flow_id),
    ),
    findEntryOrders(tx, causes),
  ])
  return { flows, entryOrders }
}

/** Rows from before this time are deleted by age. */
function cutoffUs(nowMs: number, workspaces: Workspaces): number {
  return Math.min(historyCutoffMs(workspaces, nowMs), ledgerCutoffMs(workspaces, nowMs)) * 1000
}

function readKinds(query: Query): ReadonlySet<TimelineKind> {
  const given = readNonEmpty(query, 'kinds')
  if (given === undefined) return new Set(timelineKinds)
  const names = given.split(',').map((name) => name.trim())
  const known = timelineKinds.filter((kind) => names.includes(kind))
  const unknown = names.some((name) => !known.some((kind) => kind === name))
  if (unknown) throw invalid(`'kinds' must be some of ${timelineKinds.join(', ')}`)
  return new Set(known)
}

function formatCursor({ us, skip }: TimelineCursor): string {
  return `${us}-${skip}`
}

function readCursor(query: Query): TimelineCursor {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return { us: endOfTimeUs, skip: 0 }
  const [, us, skip] = /^(-?\d{1,17})-(\d{1,6})$/.exec(given) ?? []
  if (!us || !skip || Math.abs(Number(us)) > endOfTimeUs)
    throw invalid("'cursor' must be the 'cursor' of an earlier response")
  return { us: Number(us), skip: Number(skip) }
}
