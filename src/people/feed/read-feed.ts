import type { Call } from '../../base/call.ts'
import { waitForAnnounced } from '../../base/db/announcement.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { conflict, Failure, invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty, readWhole } from '../../base/http/query.ts'
import { JsonLines, jsonLinesType, type Query, ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { selectedId } from '../../workspace/settings/selected.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { describeEvent } from './describe-event.ts'
import { type EventType, eventTypeNames, isEventType } from './event-types.ts'
import { type FeedRow, findFeed, switchedOn } from './number-store.ts'
import type { Feed } from './open.ts'
import { type EventRow, listFeedEvents } from './read-store.ts'
import { cursorAtEnd, feedLimitDefault, feedLimitMax, feedOff, feedWaitSecondsMax, nextCursorHeader } from './schema.ts'

export type ReadFeedServices = {
  readonly feed: Pick<Feed, 'waiters'>
  readonly workspaces: Pick<Workspaces, 'get'>
  formatServiceId(profile_id: string): string
}

/** How often a waiting request looks by itself: another process may have given the positions. */
const lookMs = 1_000
/** The positions that are searched at once for events of some types. */
const spanMax = 10_000n

/** Events that follow a position, and the position up to which there are no others. */
export type EventPage = { readonly rows: readonly EventRow[]; readonly next: bigint }

/** Answers events as JSON lines, and with `wait` waits for the next one. Throws 400, 409 and 410. */
export async function readFeed(call: Call, request: Request, services: ReadFeedServices): Promise<ReplyWithHeaders> {
  const { query } = request
  const limit = readLimit(query, feedLimitDefault, feedLimitMax)
  const waitMs = readWait(query) * 1_000
  const types = readTypes(readNonEmpty(query, 'types'))
  const workspace_id = await selectedId(call, request)
  const feed = await getFeed(call.db, workspace_id, services)
  const after = readFeedCursor(readNonEmpty(query, 'cursor'), feed)
  const page = await findOrWait(call, { workspace_id, after, types, limit, waitMs }, services)
  const lines = page.rows.map((row) => ({ ...describeEvent(row, services.formatServiceId), cursor: row.position }))
  return new ReplyWithHeaders(new JsonLines(lines), {
    'Content-Type': jsonLinesType,
    [nextCursorHeader]: page.next.toString(),
  })
}

type Wanted = {
  readonly workspace_id: number
  readonly after: bigint
  readonly types: readonly EventType[]
  readonly limit: number
  readonly waitMs: number
}

async function findOrWait(
  { db, clock, signal }: Call,
  { workspace_id, after, types, limit, waitMs }: Wanted,
  { feed: { waiters } }: ReadFeedServices,
): Promise<EventPage> {
  const untilMs = clock.elapsed() + waitMs
  let from = after
  for (;;) {
    // The wait begins before the look, so that no event comes between.
    const leftMs = untilMs - clock.elapsed()
    const waiting = leftMs > 0 ? waiters.wait(workspace_id, Math.min(leftMs, lookMs)) : undefined
    const page = await findPage(db, workspace_id, from, types, limit)
    from = page.next
    if (page.rows.length > 0 || !waiting || waiters.isClosed || signal.aborted) return page
    await waiting
  }
}

/** Returns the next events of these types; all types when the list is empty. */
export async function findPage(
  db: Db,
  workspace_id: number,
  after: bigint,
  types: readonly EventType[],
  limit: number,
): Promise<EventPage> {
  const last = BigInt((await findFeed(db, workspace_id))?.last_position ?? 0)
  let from = after
  // Otherwise a reader could go on behind an event that it has not seen.
  if (from < last) await waitForAnnounced(db, db.log)
  while (from < last) {
    const upTo = from + spanMax < last ? from + spanMax : last
    const rows = await listFeedEvents(db, workspace_id, { after: from, upTo }, types, limit)
    if (rows.length === limit) return { rows, next: BigInt(rows.at(-1)!.position) }
    if (rows.length > 0) return { rows, next: upTo }
    from = upTo
  }
  return { rows: [], next: from }
}

/**
 * Returns the feed of a workspace. When it was just switched on by the setting, and no worker has seen that yet, this is the feed that the
 * worker will make of it: a cursor from it stays valid. Throws 409 when it is off and has never been on.
 */
async function getFeed(tx: Tx, workspace_id: number, { workspaces }: ReadFeedServices): Promise<FeedRow> {
  const feed = await findFeed(tx, workspace_id)
  const isWanted = workspaces.get(workspace_id).settings.feed
  if (!feed && !isWanted) throw conflict(feedOff)
  return feed && !feed.is_on && isWanted
    ? switchedOn(feed)
    : (feed ?? { workspace_id, is_on: true, last_position: '0', lost_position: '0' })
}

/** Reads a cursor of a feed. Throws 400, and 410 when events behind it are no longer kept. */
export function readFeedCursor(text: string | undefined, { last_position, lost_position }: FeedRow): bigint {
  const [last, lost] = [BigInt(last_position), BigInt(lost_position)]
  if (text === undefined) return lost
  if (text === cursorAtEnd) return last
  if (!/^\d{1,18}$/.test(text)) throw invalid("'cursor' is not valid")
  const after = BigInt(text)
  if (after > last) throw invalid("'cursor' is ahead of the feed: it is from another workspace or another database")
  if (after < lost) {
    throw new Failure(
      'gone',
      'Events after this cursor are no longer kept, or were not written while the feed was off. ' +
        'Read without a cursor to begin with the oldest event that is kept',
    )
  }
  return after
}

/** Reads names of types with commas between. Throws 400. */
export function readTypes(text: string | undefined): EventType[] {
  const names = text === undefined ? [] : text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isEventType(name))
  if (unknown !== undefined) throw invalid(`'types' must be some of ${eventTypeNames.join(', ')}`)
  return names as EventType[]
}

function readWait(query: Query): number {
  const seconds = readWhole(query, 'wait', 0)
  if (seconds > feedWaitSecondsMax) throw invalid(`'wait' must be a whole number from 0 to ${feedWaitSecondsMax}`)
  return seconds
}
