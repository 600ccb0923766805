import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import type { OrderReply } from './accept-order.ts'
import { type MessageServices, placeMessageOrder, readMessageOrder } from './place-message-order.ts'
import { readBody } from './read-body.ts'
import { timeNotAccepted } from './schedule-schema.ts'

/** Accepts an order of messages that is due now (contract 4.11). It is durable after the answer. Throws 400. */
export async function sendMessages(
  call: Call,
  given: unknown,
  services: MessageServices,
  commit: Commit,
): Promise<OrderReply> {
  const body = readBody(given)
  for (const name of ['schedule', 'send_at']) {
    if (isGiven(body[name])) throw invalid(timeNotAccepted(name, '/messages/schedule/create'))
  }
  const notices = new Notices(call.strict)
  return placeMessageOrder(call, await readMessageOrder(call, body, services, notices), services, commit, notices)
}
