import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { timeNotHere } from './message-schema.ts'
import { loadMessageContext, type MessageServices, type OrderReply, placeMessageOrder } from './place-message-order.ts'
import { readBody, readMessageRequest } from './read-message-request.ts'

/** Accepts something to be sent now (contract 4.11): once this is answered it will be, whatever happens. */
export async function sendMessages(
  call: Call,
  body: unknown,
  parts: MessageServices,
  commit: Commit,
): Promise<OrderReply> {
  const given = readBody(body)
  for (const name of ['schedule', 'send_at']) {
    if (isGiven(given[name])) throw invalid(`'${name}' is ${timeNotHere}`)
  }
  const asked = readMessageRequest(given, await loadMessageContext(parts, call, given.campaign_id))
  const answer = await commit((tx) => placeMessageOrder(tx, call, asked))
  parts.pokeExpander()
  return answer
}
