import type { Call } from '../../base/call.ts'
import type { Notices } from '../../base/http/notices.ts'
import { planOrderSlots } from './accept-order.ts'
import { readSchedule } from './read-schedule.ts'
import type { Schedule } from './schedule.ts'
import { passedSomewhere } from './schedule-schema.ts'

/**
 * Reads a `schedule`, as `readSchedule` does. `notices` also gets a local time that has passed in a time zone of the workspace's people.
 * Throws 400.
 */
export async function readOrderSchedule(
  { db, workspace_id, clock }: Call,
  given: unknown,
  notices: Notices,
  name = 'schedule.time',
): Promise<Schedule> {
  const nowMs = clock.now()
  const schedule = readSchedule(given, nowMs, notices, name)
  const slots = await planOrderSlots(db, workspace_id, schedule, nowMs)
  if (slots.some(({ reason }) => reason !== undefined)) notices.add(name, passedSomewhere)
  return schedule
}
