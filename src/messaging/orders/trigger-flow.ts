import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { type Ordered, placeOrder, readOrder, type Trigger } from './place-flow-order.ts'
import { objectOf } from './read-message-request.ts'
import { triggerRules } from './trigger-rules.ts'
import { scheduleNotHere } from './trigger-schema.ts'

/** Lets people enter a canvas or a campaign now (contract 4.8, 10.3): once this is answered they will, whatever happens. */
export async function sendFlow(call: Call, body: unknown, trigger: Trigger): Promise<Ordered> {
  const given = objectOf(body)
  if (isGiven(given.schedule)) throw invalid(scheduleNotHere('schedule', triggerRules[trigger.kind].path))
  return placeOrder(call, readOrder(call, given, trigger), trigger)
}
