import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { timeNotHere } from './message-schema.ts'
import { knownTo, type Ordered, placeOrder, type SendParts } from './place-message-order.ts'
import { objectOf, readAsked } from './read-message-request.ts'

/** Accepts something to be sent now (contract 4.11): once this is answered it will be, whatever happens. */
export async function sendMessages(call: Call, body: unknown, parts: SendParts, commit: Commit): Promise<Ordered> {
  const given = objectOf(body)
  for (const name of ['schedule', 'send_at']) {
    if (isGiven(given[name])) throw invalid(`'${name}' is ${timeNotHere}`)
  }
  const asked = readAsked(given, await knownTo(parts, call, given.campaign_id))
  const answer = await commit((tx) => placeOrder(tx, call, asked))
  parts.pokeExpander()
  return answer
}
