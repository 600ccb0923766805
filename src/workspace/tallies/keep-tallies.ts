import type { Clock } from '../../base/clock.ts'
import { dayOf, noonOfDay } from '../../base/days.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { type PackedTally, unpackTally } from './pack-tally.ts'
import { type Measure, slotMs, Tally, workspaceOfDaily } from './tally.ts'
import {
  addToTallies,
  deleteTalliesBefore,
  deleteTallyChanges,
  lockTallyChanges,
  readTallyChanges,
} from './tally-store.ts'

/** Changes of one transaction. The embedded database does nothing else meanwhile. */
const changesAtOnceMax = 1_000
/** Tallies are kept for three years, of which a series shows a hundred days. */
export const talliesKeptMs = 3 * 366 * 24 * 60 * 60 * 1000
/** The running sum of who is active in a month needs all of its tallies; they have a few rows for each day. */
export const neverDeleted: Measure = 'mau'

type ZonedWorkspace = { readonly workspace_id: number; readonly settings: { readonly time_zone: string } }

/** Moves what transactions have added to the tallies. A reader counts both, so nobody notices when. */
export async function foldTallies(db: Db, workspaces: readonly ZonedWorkspace[], stopping: AbortSignal): Promise<void> {
  const zones = new Map(workspaces.map(({ workspace_id, settings }) => [workspace_id, settings.time_zone]))
  while (!stopping.aborted && (await db.transaction((tx) => fold(tx, zones))) === changesAtOnceMax);
}

async function fold(tx: Tx, zones: ReadonlyMap<number, string>): Promise<number> {
  const changes = await lockTallyChanges(tx, changesAtOnceMax)
  if (changes.length === 0) return 0
  const added = new Tally()
  for (const change of await readTallyChanges(tx, changes)) addChange(added, change)
  await addToTallies(tx, withNoons(added, zones))
  await deleteTallyChanges(tx, changes)
  return changes.length
}

/** Adds a change to a tally. */
export function addChange(tally: Tally, change: PackedTally): void {
  const subjects = change.subjects.map((subject) => tally.positionOf(subject))
  const parts = change.parts.map((part) => tally.partPositionOf(part))
  unpackTally(change, (subject, part, slot, count, amount) => {
    tally.addAt(subjects[subject]!, parts[part]!, slot, count, amount)
  })
}

/** Returns a tally in which what is kept by days is counted at the noon of its day. */
export function withNoons(tally: Tally, zones: ReadonlyMap<number, string>): Tally {
  const { subjects, parts, columns } = tally
  const zoneOf = subjects.map((subject) => {
    const workspace_id = workspaceOfDaily(subject)
    return workspace_id && (zones.get(workspace_id) ?? 'UTC')
  })
  if (!zoneOf.some(Boolean)) return tally
  const kept = new Tally()
  // In the same order, so they have the same positions.
  for (const subject of subjects) kept.positionOf(subject)
  for (const part of parts) kept.partPositionOf(part)
  for (const [i, slot] of columns.slot.entries()) {
    const subject = columns.subject[i]!
    const zone = zoneOf[subject]
    const at = zone ? Math.floor(noonOf(slot * slotMs, zone) / slotMs) : slot
    kept.addAt(subject, columns.part[i]!, at, columns.count[i]!, columns.amount[i]!)
  }
  return kept
}

/** Returns the noon of the day of an instant: it stays on its date when the time zone of the workspace changes. */
function noonOf(ms: number, zone: string): number {
  return noonOfDay(dayOf(ms, zone), zone)
}

export function forgetTallies(db: Db, clock: Pick<Clock, 'now'>): Promise<void> {
  return deleteTalliesBefore(db, clock.now() - talliesKeptMs, `${neverDeleted} `)
}
