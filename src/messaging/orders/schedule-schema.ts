/** Schedules of a workspace that may wait to be sent at a time. */
export const schedulesMax = 10_000
/** Time zones that have a slot of their own; people of further zones are in the slot of those who are left. */
export const zonesMax = 1_000

export const badSchedule = "'schedule' must be an object with 'time'"
export const timeRequired = "'schedule.time' is required"
/** Refuses a time that cannot be read or has passed everywhere, verbatim from the interface (contract 4.8). */
export const badTime = 'Bad Request'
// The second text of such a refusal.
export const unreadableTime = "'schedule.time' must be a date and time in ISO 8601"
export const passedTime = "'schedule.time' has passed wherever people live"
export const unknownSchedule = "'schedule_id' is not valid"
export const alreadySent = 'The schedule has already been sent'
export const tooManySchedules = `At most ${schedulesMax} schedules may wait at a time`

export function badFlag(name: string): string {
  return `'schedule.${name}' must be true or false`
}
