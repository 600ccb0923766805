import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { type Ordered, placeOrder, readOrder, type Trigger } from './place-flow-order.ts'
import { objectOf } from './read-message-request.ts'
import { readSchedule } from './schedule.ts'
import { scheduleRequired } from './trigger-schema.ts'

/** Lets people enter a canvas or a campaign at its time (specification 4.8). */
export async function createSchedule(call: Call, body: unknown, trigger: Trigger): Promise<Ordered> {
  const given = objectOf(body)
  const asked = readOrder(call, given, trigger)
  if (!isGiven(given.schedule)) throw invalid(scheduleRequired)
  return placeOrder(call, asked, trigger, readSchedule(given.schedule, call.clock.now()))
}
