import type { Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import { listEvents, listPersonDecisions, listPurchases, listSessions } from './history-store.ts'
import {
  listEntryMoments,
  listMergedIds,
  listPersonEngagements,
  listPersonWork,
  listReturns,
  listWaitingMessages,
} from './messages-store.ts'
import type { Source, Span, TimelineRow } from './rows.ts'
import type { TimelineKind } from './schema.ts'

export type Sources = {
  readonly kinds: ReadonlySet<TimelineKind>
  /** The most rows to find. */
  readonly rowsMax: number
  /** Only rows from before this time are wanted, epoch microseconds. */
  readonly beforeUs: number
  /** Before this time nothing is kept for long: the last span reaches back to the first row. */
  readonly cutoffUs: number
  isTimeUp(): boolean
  personHash(profile_id: string): string
}

/** Rows, newest first, and how far back everything was looked at; undefined: to the first row. */
export type FoundTimelineRows = { readonly rows: readonly TimelineRow[]; readonly searchedUs: number | undefined }

const weekUs = 7 * 86_400_000_000
/** Earlier than every item: the year 5. */
const beginningUs = -62_000_000_000_000_000

/**
 * Finds the newest rows of a person before a time. Looks at the last week first, then at twice as long a time before it, and so on: the
 * tables of history and of decisions have a part for each week.
 */
export async function readRows(tx: Tx, person: Person, sources: Sources, nowUs: number): Promise<FoundTimelineRows> {
  const { beforeUs, rowsMax, cutoffUs } = sources
  const undivided = await listUndivided(tx, person, sources)
  const found: TimelineRow[] = []
  let untilUs = beforeUs
  for (let lengthUs = weekUs; ; lengthUs *= 2) {
    const wantedUs = Math.min(untilUs, nowUs) - lengthUs
    const fromUs = wantedUs <= Math.max(cutoffUs, beginningUs) ? beginningUs : wantedUs
    found.push(...(await listDivided(tx, person, sources, { fromUs, untilUs, limit: rowsMax })))
    const rows = newestOf([...found, ...undivided.filter(({ us }) => Number(us) >= fromUs)], rowsMax)
    if (rows.length >= rowsMax || fromUs === beginningUs) return { rows, searchedUs: undefined }
    if (sources.isTimeUp()) return { rows, searchedUs: fromUs }
    untilUs = fromUs
  }
}

/** Lists rows of the tables that have a part for each week. */
async function listDivided(tx: Tx, person: Person, { kinds }: Sources, span: Span): Promise<TimelineRow[]> {
  const lists = await Promise.all([
    kinds.has('event') ? from('event', listEvents(tx, person, span)) : [],
    kinds.has('purchase') ? from('purchase', listPurchases(tx, person, span)) : [],
    from('decision', listPersonDecisions(tx, person, span, kinds)),
  ])
  return lists.flat()
}

/** Lists rows of the other tables, of all times before the page. */
async function listUndivided(tx: Tx, person: Person, sources: Sources): Promise<TimelineRow[]> {
  const { kinds, beforeUs, rowsMax, personHash } = sources
  const span = { fromUs: beginningUs, untilUs: beforeUs, limit: rowsMax }
  const hashes = async () => [person.profile_id, ...(await listMergedIds(tx, person))].map(personHash)
  const lists = await Promise.all([
    kinds.has('session') ? from('session', listSessions(tx, person, span)) : [],
    kinds.has('message') ? from('message', listWaitingMessages(tx, person, span)) : [],
    kinds.has('engagement') ? from('engagement', listPersonEngagements(tx, person, span)) : [],
    kinds.has('engagement') ? from('return', listReturns(tx, person, span)) : [],
    kinds.has('flow') ? from('entry', listEntryMoments(tx, person, span)) : [],
    kinds.has('work') ? from('work', listPersonWork(tx, await hashes(), span)) : [],
  ])
  return lists.flat()
}

async function from<Name extends Source, Row extends object>(
  source: Name,
  listing: Promise<Row[]>,
): Promise<TimelineRow[]> {
  return (await listing).map((row) => ({ source, ...row }) as unknown as TimelineRow)
}

function newestOf(rows: readonly TimelineRow[], rowsMax: number): TimelineRow[] {
  return rows.toSorted((a, b) => Number(b.us) - Number(a.us)).slice(0, rowsMax)
}
