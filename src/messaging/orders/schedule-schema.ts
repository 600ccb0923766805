import Type from 'typebox'
import { Flag } from './order-schema.ts'

/** Schedules of a workspace that may wait at a time. */
export const schedulesMax = 10_000
/** Time zones that have a slot of their own. People in further zones are in the last slot. */
export const zonesMax = 1_000

export const scheduleRequired = "'schedule' is required"
export const badSchedule = "'schedule' must be an object with 'time'"
export const timeRequired = "'schedule.time' is required"
/** Refuses a time that cannot be read or has passed everywhere, verbatim from the interface (contract 4.8). */
export const badTime = 'Bad Request'
// The second text of such a refusal.
export const unreadableTime = "'schedule.time' must be a date and time in ISO 8601"
export const passedTime = "'schedule.time' has passed in every time zone"
export const longPassedTime = "'schedule.time' is more than a day in the past"
// Reasons of notices about a time.
export const sentAtOnce = 'has passed, so it is sent at once'
export const offsetDropped = 'has an offset, which a local time does not use'
export const passedSomewhere = 'has passed in some time zones: recipients there get no message'
export const scheduleIdRequired = "'schedule_id' is required"
export const unknownSchedule = "'schedule_id' is not valid"
export const alreadySent = 'The schedule has already been sent'
export const tooManySchedules = `At most ${schedulesMax} schedules may wait at a time`

export function badFlag(name: string): string {
  return `'schedule.${name}' must be true or false`
}

export function timeNotAccepted(name: string, createPath: string): string {
  return `'${name}' is not accepted here, and nothing was sent: use '${createPath}' for a schedule`
}

export const ScheduleShape = Type.Object({
  time: Type.String({ description: 'ISO 8601. UTC when it has no offset.' }),
  in_local_time: Flag('The order is due for each person at this local time in their time zone.'),
  at_optimal_time: Flag('The order is due for each person on the date of `time`, at their optimal hour.'),
})

export const ScheduleId = Type.String({ format: 'uuid', description: 'As `schedule/create` returned it.' })
export const NewScheduleId = Type.String({ format: 'uuid' })
