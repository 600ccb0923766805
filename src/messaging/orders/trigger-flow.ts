import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { type OrderReply, placeFlowOrder, readTrigger, type TriggerCall } from './place-flow-order.ts'
import { readBody } from './read-message-request.ts'
import { triggerRules } from './trigger-rules.ts'
import { scheduleNotHere } from './trigger-schema.ts'

/** Lets people enter a canvas or a campaign now (contract 4.8, 10.3): once this is answered they will, whatever happens. */
export async function triggerFlow(call: Call, body: unknown, trigger: TriggerCall): Promise<OrderReply> {
  const given = readBody(body)
  if (isGiven(given.schedule)) throw invalid(scheduleNotHere('schedule', triggerRules[trigger.kind].path))
  return placeFlowOrder(call, readTrigger(call, given, trigger), trigger)
}
