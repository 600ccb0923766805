import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { scheduleIdRequired } from './message-schema.ts'
import { unknownSchedule } from './schedule-schema.ts'

const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** A `schedule_id` that can be one. Throws 400. */
export function readScheduleId(given: unknown): string {
  if (!isGiven(given)) throw invalid(scheduleIdRequired)
  if (typeof given !== 'string' || !uuidForm.test(given)) throw invalid(unknownSchedule)
  return given
}
