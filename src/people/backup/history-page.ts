import type { Tx } from '../../base/db/db.ts'
import { findExisting } from '../identity/candidate-store.ts'
import { bucketOfId, person } from '../identity/person.ts'
import type { BackupPage, BackupReading } from './address-states-page.ts'
import { type BackupCursor, type HistoryPosition, peopleAfter, startOfName } from './backup-cursor.ts'
import { type BackupLine, historyMember, lineBytesMax, lineRowsMax } from './backup-lines.ts'
import { findHistorySources, type HistorySource } from './backup-store.ts'
import {
  type HistoryBounds,
  type HistoryKind,
  type HistoryRow,
  listHistoryFrom,
  listNamesAfter,
} from './history-page-store.ts'
import { personText } from './person-text.ts'

const namesMax = 100

/** Reads a part of the history of a person, which is too long for one line. */
export async function historyPage(
  { tx, workspace }: BackupReading,
  { profile_id, part, at }: BackupCursor & { stage: 'history' },
): Promise<BackupPage> {
  const one = person(bucketOfId(profile_id), profile_id)
  const living = await findExisting(tx, [one])
  // The person may have been merged or deleted since the last page. Then the rest of the history no longer belongs to this person.
  const sources = living.get(profile_id) === workspace.workspace_id ? await findHistorySources(tx, [one]) : []
  const query = { tx, workspace_id: workspace.workspace_id, sources }
  const gathered = await gather(query, at, { rows: lineRowsMax, bytes: lineBytesMax })
  const { next } = gathered
  // `more` tells an import when the person is complete.
  const more = next !== undefined && (await gather(query, next, { rows: 1, bytes: 1 })).count > 0
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

type HistoryQuery = { tx: Tx; workspace_id: number; sources: readonly HistorySource[] }

type Gathered = Record<HistoryKind, HistoryRow[]> & {
  count: number
  /** The position at which to continue; undefined at the end. */
  next: HistoryPosition | undefined
}

/** Reads rows name by name, events before purchases, until the bounds are reached. */
async function gather(query: HistoryQuery, from: HistoryPosition, bounds: HistoryBounds): Promise<Gathered> {
  const gathered: Gathered = { event: [], purchase: [], count: 0, next: undefined }
  const left = { ...bounds }
  const kinds: HistoryKind[] = from.kind === 'event' ? ['event', 'purchase'] : ['purchase']
  for (const kind of kinds) {
    const start = kind === from.kind ? from : startOfName(kind)
    for await (const at of namesFrom(query, start)) {
      const rows = await listHistoryFrom(query.tx, kind, query.workspace_id, query.sources, at, left)
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

/** Yields the position itself, then the start of every name after it. */
async function* namesFrom({ tx, sources }: HistoryQuery, start: HistoryPosition): AsyncGenerator<HistoryPosition> {
  if (start.name !== '') yield start
  let last = start.name
  for (;;) {
    const names = await listNamesAfter(tx, start.kind, sources, last, namesMax)
    for (const name of names) yield startOfName(start.kind, name)
    if (names.length < namesMax) return
    last = names.at(-1)!
  }
}

/** Returns the position after these rows. Several rows may have the same time, so `skip` counts them. */
function after(at: HistoryPosition, rows: readonly HistoryRow[]): HistoryPosition {
  const timeUs = rows.at(-1)!.time
  const same = rows.filter(({ time }) => time === timeUs).length
  return { ...at, timeUs, skip: timeUs === at.timeUs ? at.skip + same : same }
}
