import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import type { OrderReply } from './accept-order.ts'
import { type MessageServices, placeMessageOrder, readMessageOrder } from './place-message-order.ts'
import { type RequestBody, readBody } from './read-body.ts'
import { readOrderSchedule } from './read-order-schedule.ts'
import type { Schedule } from './schedule.ts'
import { scheduleRequired } from './schedule-schema.ts'

/** Accepts messages to send at a later time (contract 10.3). Throws 400. */
export async function scheduleMessages(
  call: Call,
  given: unknown,
  services: MessageServices,
  commit: Commit,
): Promise<OrderReply> {
  const body = readBody(given)
  const notices = new Notices(call.strict)
  const request = await readMessageOrder(call, body, services, notices)
  const schedule = await readTime(call, body, notices)
  return placeMessageOrder(call, request, services, commit, notices, schedule)
}

/** Old clients send `send_at` and `deliver_in_local_timezone` instead of `schedule`. */
function readTime(
  call: Call,
  { schedule, send_at, deliver_in_local_timezone }: RequestBody,
  notices: Notices,
): Promise<Schedule> {
  if (isGiven(schedule)) return readOrderSchedule(call, schedule, notices)
  if (!isGiven(send_at)) throw invalid(scheduleRequired)
  return readOrderSchedule(call, { time: send_at, in_local_time: deliver_in_local_timezone }, notices, 'send_at')
}
