import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { type NoticeMembers, Notices } from '../../base/http/notices.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { getFlow, readFlowId } from '../flows/find-flows.ts'
import type { FlowKind } from '../flows/flow.ts'
import { lockFlowOrder, updateSchedule } from './change-schedule.ts'
import { readBody } from './read-body.ts'
import { readOrderSchedule } from './read-order-schedule.ts'
import { readScheduleId } from './read-schedule.ts'
import { scheduleRequired } from './schedule-schema.ts'

/** Replaces the whole schedule of an order of a flow (contract 4.8). Throws 400. */
export async function updateFlowSchedule(
  call: Call,
  kind: FlowKind,
  given: unknown,
  { wakeups }: { readonly wakeups: Wakeups },
  commit: Commit,
): Promise<NoticeMembers> {
  const body = readBody(given)
  const id = readFlowId(body[`${kind}_id`], kind)
  const schedule_id = readScheduleId(body.schedule_id)
  if (!isGiven(body.schedule)) throw invalid(scheduleRequired)
  const notices = new Notices(call.strict)
  const schedule = await readOrderSchedule(call, body.schedule, notices)
  notices.check()
  const reply = await commit(async (tx) => {
    const flow = await getFlow(tx, call.workspace_id, kind, id)
    const order = await lockFlowOrder(tx, flow, schedule_id)
    await updateSchedule(tx, call, order, { schedule, isSameTime: false, isDelivered: true })
    return notices.members()
  })
  wakeups.wake('expansion')
  return reply
}
