import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { scheduleRequired } from './message-schema.ts'
import { loadMessageContext, type MessageServices, type OrderReply, placeMessageOrder } from './place-message-order.ts'
import type { Body } from './read-message-recipients.ts'
import { readBody, readMessageRequest } from './read-message-request.ts'
import { readSchedule, type Schedule } from './schedule.ts'

/** Accepts something to be sent at its time (contract 10.3). */
export async function scheduleMessages(
  call: Call,
  body: unknown,
  parts: MessageServices,
  commit: Commit,
): Promise<OrderReply> {
  const given = readBody(body)
  const asked = readMessageRequest(given, await loadMessageContext(parts, call, given.campaign_id))
  const schedule = readWhen(given, call.clock.now())
  const answer = await commit((tx) => placeMessageOrder(tx, call, asked, schedule))
  parts.pokeExpander()
  return answer
}

/** Old clients say `send_at` and `deliver_in_local_timezone`. */
function readWhen({ schedule, send_at, deliver_in_local_timezone }: Body, nowMs: number): Schedule {
  if (isGiven(schedule)) return readSchedule(schedule, nowMs)
  if (!isGiven(send_at)) throw invalid(scheduleRequired)
  return readSchedule({ time: send_at, in_local_time: deliver_in_local_timezone }, nowMs)
}
