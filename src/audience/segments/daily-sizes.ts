import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { countPeople } from '../conditions/select-people.ts'
import { dayOf, daysBefore } from './days.ts'
import { findSegment, type Segment } from './find.ts'
import { deleteSizesBefore, listTracked, listUncounted, upsertSize } from './size-store.ts'

/** Counts that somebody waits for go one after another: each reads everybody, and the database has others to serve. */
export const countingMutex = 'segment counts'

/** Days for which sizes are kept. */
const daysKept = 731

type WorkspaceZone = Pick<Workspace, 'workspace_id' | 'settings'>

/** Counts each followed segment once a day, in the zone of its workspace, and forgets what is too old. */
export async function recordDailySizes(
  db: Db,
  clock: Clock,
  workspaces: readonly WorkspaceZone[],
  stopping?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  for (const here of workspaces) {
    const day = dayOf(clock.now(), here.settings.time_zone)
    const uncounted = await listUncounted(db, here.workspace_id, day)
    failures.push(...(await recordSizes(db, clock, here, uncounted, stopping)))
    await deleteSizesBefore(db, here.workspace_id, daysBefore(day, daysKept))
  }
  if (failures.length > 0) throw failures[0]
}

/** Counts each followed segment once more when the clock is about to leave a day: what is kept of it is how it ended. */
export async function recordSizesBefore(
  db: Db,
  clock: Clock,
  workspaces: readonly WorkspaceZone[],
  untilMs: number,
): Promise<void> {
  for (const here of workspaces) {
    const { time_zone } = here.settings
    if (dayOf(untilMs, time_zone) === dayOf(clock.now(), time_zone)) continue
    // The clock does not wait for a segment that cannot be counted; `measureSegments` tells of it.
    await recordSizes(db, clock, here, await listTracked(db, here.workspace_id))
  }
}

/** One after another, so that nobody waits long for the database; one that fails does not stop the others. */
async function recordSizes(
  db: Db,
  clock: Clock,
  here: WorkspaceZone,
  ids: readonly string[],
  stopping?: AbortSignal,
): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const id of ids) {
    if (stopping?.aborted) break
    const [outcome] = await Promise.allSettled([recordSizeById(db, clock, here, id)])
    if (outcome.status === 'rejected') failures.push(outcome.reason)
  }
  return failures
}

async function recordSizeById(db: Db, clock: Clock, here: WorkspaceZone, id: string): Promise<void> {
  const segment = await findSegment(db, here.workspace_id, id)
  if (segment) await recordSize(db, clock, here, segment)
}

/** Counts a segment and keeps it as the size of this day. */
export async function recordSize(db: Db, clock: Clock, here: WorkspaceZone, { id, tree }: Segment): Promise<void> {
  const nowMs = clock.now()
  const size = await countPeople(db, here.workspace_id, tree, nowMs)
  await upsertSize(db, here.workspace_id, id, { time: dayOf(nowMs, here.settings.time_zone), size })
}
