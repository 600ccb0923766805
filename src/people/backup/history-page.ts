import type { Tx } from '../../base/db/db.ts'
import { findExisting } from '../identity/candidate-store.ts'
import { bucketOfId, person } from '../identity/person.ts'
import type { BackupPage, BackupReading } from './address-states-page.ts'
import { type BackupCursor, type HistoryPosition, peopleAfter, startOfName } from './backup-cursor.ts'
import { type BackupLine, historyMember, lineBytesMax, lineRowsMax } from './backup-lines.ts'
import { findHistorySources, type HistorySource } from './backup-store.ts'
import { personText } from './backup-tables.ts'
import {
  type HistoryBounds,
  type HistoryKind,
  type HistoryRow,
  listHistoryFrom,
  listNamesAfter,
} from './history-page-store.ts'

const namesMax = 100

/** A part of the history of somebody who has more of it than a line holds. */
export async function historyPage(
  { tx, workspace }: BackupReading,
  { profile_id, part, at }: BackupCursor & { stage: 'history' },
): Promise<BackupPage> {
  const one = person(bucketOfId(profile_id), profile_id)
  const living = await findExisting(tx, [one])
  // Merged away or deleted between two pages: the rest of the history is somebody else's by now, or nobody's.
  const places = living.get(profile_id) === workspace.workspace_id ? await findHistorySources(tx, [one]) : []
  const about = { tx, workspace_id: workspace.workspace_id, places }
  const gathered = await gather(about, at, { rows: lineRowsMax, bytes: lineBytesMax })
  const { next } = gathered
  // Whether it is the last part is told in it, so that an import knows when somebody is complete.
  const more = next !== undefined && (await gather(about, next, { rows: 1, bytes: 1 })).count > 0
  const line: BackupLine = {
    person: personText(profile_id),
    part,
    ...(more && { more }),
    ...historyMember('event', gathered.event),
    ...historyMember('purchase', gathered.purchase),
  }
  const cursor: BackupCursor = more
    ? { stage: 'history', profile_id, part: part + 1, at: next }
    : peopleAfter(profile_id, 1)
  return { lines: [line], next: cursor }
}

type About = { tx: Tx; workspace_id: number; places: readonly HistorySource[] }

type Gathered = Record<HistoryKind, HistoryRow[]> & {
  count: number
  /** Where to go on; undefined when that was all. */
  next: HistoryPosition | undefined
}

/** What comes next, name by name: events first, then purchases, until the bounds are reached. */
async function gather(about: About, from: HistoryPosition, bounds: HistoryBounds): Promise<Gathered> {
  const gathered: Gathered = { event: [], purchase: [], count: 0, next: undefined }
  const left = { ...bounds }
  const kinds: HistoryKind[] = from.kind === 'event' ? ['event', 'purchase'] : ['purchase']
  for (const kind of kinds) {
    const start = kind === from.kind ? from : startOfName(kind)
    for await (const at of namesFrom(about, start)) {
      const rows = await listHistoryFrom(about.tx, kind, about.workspace_id, about.places, at, left)
      gathered[kind].push(...rows)
      gathered.count += rows.length
      left.rows -= rows.length
      for (const { properties } of rows) left.bytes -= Buffer.byteLength(properties ?? '')
      if (left.rows > 0 && left.bytes > 0) continue
      gathered.next = after(at, rows)
      return gathered
    }
  }
  return gathered
}

/** The name of the position, then the beginnings of all that follow. */
async function* namesFrom({ tx, places }: About, start: HistoryPosition): AsyncGenerator<HistoryPosition> {
  if (start.name !== '') yield start
  let last = start.name
  for (;;) {
    const names = await listNamesAfter(tx, start.kind, places, last, namesMax)
    for (const name of names) yield startOfName(start.kind, name)
    if (names.length < namesMax) return
    last = names.at(-1)!
  }
}

/** The position behind these rows: time alone does not tell, when several things happened at once. */
function after(at: HistoryPosition, rows: readonly HistoryRow[]): HistoryPosition {
  const timeUs = rows.at(-1)!.time
  const same = rows.filter(({ time }) => time === timeUs).length
  return { ...at, timeUs, skip: timeUs === at.timeUs ? at.skip + same : same }
}
