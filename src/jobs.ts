import type { Clock } from './base/clock.ts'
import type { Db } from './base/db/db.ts'
import { dropWeeksBefore, ensureWeeks } from './base/db/weeks.ts'
import type { Task } from './base/work/periodic.ts'
import { deleteFlushes } from './users/store.ts'
import type { Workspaces } from './workspace/cache.ts'
import { timeBefore } from './workspace/duration.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A flush is asked about for seconds; its id is kept much longer than that. */
const flushKeptMs = 10 * minuteMs

/** Everything the service does without being asked, in one table. */
export function jobs(db: Db, clock: Clock, workspaces: Workspaces): Task[] {
  return [
    { name: 'history.makeWeeks', everyMs: hourMs, run: () => ensureWeeks(db, clock.now()) },
    {
      name: 'history.forget',
      everyMs: hourMs,
      run: () => dropWeeksBefore(db, retentionCutoffMs(workspaces, clock.now())),
    },
    { name: 'users.forgetFlushes', everyMs: minuteMs, run: () => deleteFlushes(db, clock.elapsed() - flushKeptMs) },
  ]
}

/** Weeks are shared by all workspaces: a week goes when no workspace wants it any more. */
export function retentionCutoffMs(workspaces: Workspaces, nowMs: number): number {
  return Math.min(...workspaces.all().map(({ settings }) => timeBefore(nowMs, settings.event_retention)))
}
