import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { type OrderReply, placeFlowOrder, readTrigger, type TriggerCall } from './place-flow-order.ts'
import { readBody } from './read-message-request.ts'
import { readSchedule } from './schedule.ts'
import { scheduleRequired } from './trigger-schema.ts'

/** Lets people enter a canvas or a campaign at its time (specification 4.8). */
export async function scheduleFlow(call: Call, body: unknown, trigger: TriggerCall): Promise<OrderReply> {
  const given = readBody(body)
  const asked = readTrigger(call, given, trigger)
  if (!isGiven(given.schedule)) throw invalid(scheduleRequired)
  return placeFlowOrder(call, asked, trigger, readSchedule(given.schedule, call.clock.now()))
}
