import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import type { FlowKind } from '../flows/flow.ts'
import type { OrderReply } from './accept-order.ts'
import { placeFlowOrder, readFlowOrder, type TriggerServices } from './place-flow-order.ts'
import { readBody } from './read-body.ts'
import { readOrderSchedule } from './read-order-schedule.ts'
import { scheduleRequired } from './schedule-schema.ts'

/** Accepts an order by which people enter a flow at a later time (specification 4.8). Throws 400. */
export async function scheduleFlow(
  call: Call,
  kind: FlowKind,
  given: unknown,
  services: TriggerServices,
  commit: Commit,
): Promise<OrderReply> {
  const body = readBody(given)
  const notices = new Notices(call.strict)
  const request = readFlowOrder(call, kind, body, services, notices)
  if (!isGiven(body.schedule)) throw invalid(scheduleRequired)
  const schedule = await readOrderSchedule(call, body.schedule, notices)
  return placeFlowOrder(call, kind, request, services, commit, notices, schedule)
}
