import type { Clock } from '../../base/clock.ts'
import { dayOf, daysBefore } from '../../base/days.ts'
import type { Db } from '../../base/db/db.ts'
import type { Workspace } from '../../workspace/settings/workspaces.ts'
import { countPeople } from '../conditions/select-people.ts'
import { findSegment, type Segment } from './find.ts'
import { deleteSizesBefore, listTracked, listUncounted, upsertSize } from './size-store.ts'

/** The mutex of counts for which a request waits. Each reads all people, so one runs at a time. */
export const countingMutex = 'segment counts'

/** Days for which sizes are stored. */
export const daysKept = 731

type WorkspaceZone = Pick<Workspace, 'workspace_id' | 'settings'>

/** Counts each tracked segment once a day, in the time zone of its workspace, and deletes sizes that are too old. */
export async function recordDailySizes(
  db: Db,
  clock: Clock,
  workspaces: readonly WorkspaceZone[],
  stopping?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = []
  for (const workspace of workspaces) {
    const day = dayOf(clock.now(), workspace.settings.time_zone)
    const uncounted = await listUncounted(db, workspace.workspace_id, day)
    failures.push(...(await recordSizes(db, clock, workspace, uncounted, stopping)))
    await deleteSizesBefore(db, workspace.workspace_id, daysBefore(day, daysKept))
  }
  if (failures.length > 0) throw failures[0]
}

/** Counts each tracked segment again before a virtual clock moves to another day. The size of a day is its last count. */
export async function recordSizesBefore(
  db: Db,
  clock: Clock,
  workspaces: readonly WorkspaceZone[],
  untilMs: number,
): Promise<void> {
  for (const workspace of workspaces) {
    const { time_zone } = workspace.settings
    if (dayOf(untilMs, time_zone) === dayOf(clock.now(), time_zone)) continue
    // A segment that cannot be counted does not block the clock; `recordDailySizes` reports it.
    await recordSizes(db, clock, workspace, await listTracked(db, workspace.workspace_id))
  }
}

/** Counts segments one at a time. Returns the errors: a segment that fails does not stop the others. */
async function recordSizes(
  db: Db,
  clock: Clock,
  workspace: WorkspaceZone,
  ids: readonly string[],
  stopping?: AbortSignal,
): Promise<unknown[]> {
  const failures: unknown[] = []
  for (const id of ids) {
    if (stopping?.aborted) break
    try {
      await recordSizeById(db, clock, workspace, id)
    } catch (error) {
      // The caller handles the errors.
      failures.push(error)
    }
  }
  return failures
}

async function recordSizeById(db: Db, clock: Clock, workspace: WorkspaceZone, id: string): Promise<void> {
  const segment = await findSegment(db, workspace.workspace_id, id)
  if (segment) await recordSize(db, clock, workspace, segment)
}

/** Counts a segment and stores the size of this day. */
export async function recordSize(db: Db, clock: Clock, workspace: WorkspaceZone, { id, tree }: Segment): Promise<void> {
  const nowMs = clock.now()
  const size = await countPeople(db, workspace.workspace_id, tree, nowMs)
  await upsertSize(db, workspace.workspace_id, id, { time: dayOf(nowMs, workspace.settings.time_zone), size })
}
