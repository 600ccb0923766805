import type { Clock } from '../../base/clock.ts'
import { dayOf, noonOfDay } from '../../base/days.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { dailyBeginning, type Measure, Tally, workspaceOfDaily } from './tally.ts'
import { addChanges, addToTallies, deleteTalliesBefore, deleteTallyChanges, lockTallyChanges } from './tally-store.ts'

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
  const tally = new Tally()
  for (const { subject, part, slot, count, amount } of await addChanges(tx, changes, dailyBeginning)) {
    const noonMs = noonOf(slot.getTime(), zones.get(workspaceOfDaily(subject)!) ?? 'UTC')
    tally.add(subject, part, noonMs * 1000, Number(count), amount)
  }
  await addToTallies(tx, tally.columns)
  await deleteTallyChanges(tx, changes)
  return changes.length
}

/** Returns the noon of the day of an instant: it stays on its date when the time zone of the workspace changes. */
function noonOf(ms: number, zone: string): number {
  return noonOfDay(dayOf(ms, zone), zone)
}

export function forgetTallies(db: Db, clock: Pick<Clock, 'now'>): Promise<void> {
  return deleteTalliesBefore(db, clock.now() - talliesKeptMs, `${neverDeleted} `)
}
