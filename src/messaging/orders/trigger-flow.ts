import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import type { FlowKind } from '../flows/flow.ts'
import type { OrderReply } from './accept-order.ts'
import { placeFlowOrder, readFlowOrder, type TriggerServices } from './place-flow-order.ts'
import { readBody } from './read-body.ts'
import { timeNotAccepted } from './schedule-schema.ts'
import { triggerRules } from './trigger-rules.ts'

/** Accepts an order by which people enter a flow now (contract 4.8, 10.3). It is durable after the answer. Throws 400. */
export async function triggerFlow(
  call: Call,
  kind: FlowKind,
  given: unknown,
  services: TriggerServices,
  commit: Commit,
): Promise<OrderReply> {
  const body = readBody(given)
  if (isGiven(body.schedule)) throw invalid(timeNotAccepted('schedule', triggerRules[kind].createPath))
  const notices = new Notices(call.strict)
  return placeFlowOrder(call, kind, readFlowOrder(call, kind, body, services, notices), services, commit, notices)
}
