import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { scheduleRequired } from './message-schema.ts'
import { knownTo, type Ordered, placeOrder, type SendParts } from './place-message-order.ts'
import type { Body } from './read-message-recipients.ts'
import { objectOf, readAsked } from './read-message-request.ts'
import { readSchedule, type Schedule } from './schedule.ts'

/** Accepts something to be sent at its time (contract 10.3). */
export async function createSchedule(call: Call, body: unknown, parts: SendParts, commit: Commit): Promise<Ordered> {
  const given = objectOf(body)
  const asked = readAsked(given, await knownTo(parts, call, given.campaign_id))
  const schedule = readWhen(given, call.clock.now())
  const answer = await commit((tx) => placeOrder(tx, call, asked, schedule))
  parts.pokeExpander()
  return answer
}

/** Old clients say `send_at` and `deliver_in_local_timezone`. */
function readWhen({ schedule, send_at, deliver_in_local_timezone }: Body, nowMs: number): Schedule {
  if (isGiven(schedule)) return readSchedule(schedule, nowMs)
  if (!isGiven(send_at)) throw invalid(scheduleRequired)
  return readSchedule({ time: send_at, in_local_time: deliver_in_local_timezone }, nowMs)
}
