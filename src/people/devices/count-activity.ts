import type { Measure } from '../../workspace/tallies/tally.ts'
import type { DayOfUse } from './device-store.ts'

/** For how many days a day of use makes a person active in a month. */
export const monthDays = 30

/** What is added to a tally of a day. `app_id` is null for all apps together. */
export type ActivityChange = {
  readonly measure: Extract<Measure, 'dau' | 'mau'>
  readonly app_id: string | null
  readonly day: number
  readonly count: 1 | -1
}

/**
 * Returns what new days of use add to the tallies of active people. `dau` counts each day of a person once. `mau` has a 1 on the day from
 * which a person counts as active in the month, and a -1 on the day from which not: its running sum is how many are. Pure.
 */
export function countActivity(known: readonly DayOfUse[], used: readonly DayOfUse[]): ActivityChange[] {
  const apps = [null, ...new Set(used.map(({ app_id }) => app_id))]
  return apps.flatMap((app_id) => {
    const ofApp = (days: readonly DayOfUse[]) =>
      days.filter((each) => app_id === null || each.app_id === app_id).map(({ day }) => day)
    return changesOf(new Set(ofApp(known)), new Set(ofApp(used))).map((change) => ({ ...change, app_id }))
  })
}

function changesOf(days: Set<number>, used: ReadonlySet<number>): Omit<ActivityChange, 'app_id'>[] {
  const changes: Omit<ActivityChange, 'app_id'>[] = []
  for (const day of used) {
    if (days.has(day)) continue
    changes.push({ measure: 'dau', day, count: 1 })
    const before = Math.max(...[...days].filter((each) => each < day))
    const after = Math.min(...[...days].filter((each) => each > day))
    const from = Math.max(day, before + monthDays)
    const until = Math.min(day + monthDays, after)
    if (from < until) changes.push({ measure: 'mau', day: from, count: 1 }, { measure: 'mau', day: until, count: -1 })
    days.add(day)
  }
  return changes
}
