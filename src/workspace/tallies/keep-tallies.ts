import type { Clock } from '../../base/clock.ts'
import { dayOf, noonOfDay } from '../../base/days.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { type Measure, Tally, workspaceOfDaily } from './tally.ts'
import { applyTallyChanges, deleteTalliesBefore, takeTallyChanges } from './tally-store.ts'

const changesAtOnceMax = 10_000
/** Tallies are kept for three years, of which a series shows a hundred days. */
const keptMs = 3 * 366 * 24 * 60 * 60 * 1000
/** The running sum of who is active in a month needs all of its tallies; they have a few rows for each day. */
const neverDeleted: Measure = 'mau'

type ZonedWorkspace = { readonly workspace_id: number; readonly settings: { readonly time_zone: string } }

/** Moves what transactions have added to the tallies. A reader counts both, so nobody notices when. */
export async function foldTallies(db: Db, workspaces: readonly ZonedWorkspace[], stopping: AbortSignal): Promise<void> {
  const zones = new Map(workspaces.map(({ workspace_id, settings }) => [workspace_id, settings.time_zone]))
  while (!stopping.aborted && (await db.transaction((tx) => fold(tx, zones))) === changesAtOnceMax);
}

async function fold(tx: Tx, zones: ReadonlyMap<number, string>): Promise<number> {
  const changes = await takeTallyChanges(tx, changesAtOnceMax)
  const tally = new Tally()
  for (const { subjects, parts, slots, counts, amounts } of changes) {
    for (const [i, subject] of subjects.entries()) {
      const workspace_id = workspaceOfDaily(subject)
      const atMs = slots[i]!.getTime()
      const slotMs = workspace_id === undefined ? atMs : noonOf(atMs, zones.get(workspace_id) ?? 'UTC')
      tally.add(subject, parts[i]!, slotMs * 1000, Number(counts[i]), amounts[i])
    }
  }
  if (changes.length > 0) await applyTallyChanges(tx, changes, tally.columns)
  return changes.length
}

/** Returns the noon of the day of an instant: it stays on its date when the time zone of the workspace changes. */
function noonOf(ms: number, zone: string): number {
  return noonOfDay(dayOf(ms, zone), zone)
}

export function forgetTallies(db: Db, clock: Pick<Clock, 'now'>): Promise<void> {
  return deleteTalliesBefore(db, clock.now() - keptMs, `${neverDeleted} `)
}
