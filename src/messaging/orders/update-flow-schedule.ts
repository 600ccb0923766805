import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { getFlow, readFlowId } from '../flows/find.ts'
import { lockFlowOrder, updateSchedule } from './change-schedule.ts'
import type { TriggerCall } from './place-flow-order.ts'
import { readBody } from './read-message-request.ts'
import { readSchedule } from './schedule.ts'
import { readScheduleId } from './schedule-id.ts'
import { scheduleRequired } from './trigger-schema.ts'

/** Replaces the schedule of an order as a whole (contract 4.8): what is left out of it is dropped. */
export async function updateFlowSchedule(
  call: Call,
  body: unknown,
  { kind, parts, commit }: TriggerCall,
): Promise<object> {
  const given = readBody(body)
  const id = readFlowId(given[`${kind}_id`], kind)
  const schedule_id = readScheduleId(given.schedule_id)
  if (!isGiven(given.schedule)) throw invalid(scheduleRequired)
  const schedule = readSchedule(given.schedule, call.clock.now())
  const answer = await commit(async (tx) => {
    const flow = await getFlow(tx, call.workspace_id, kind, id)
    const order = await lockFlowOrder(tx, flow, schedule_id)
    await updateSchedule(tx, call, order, { schedule, isSameTime: false, isDelivered: true })
    return {}
  })
  parts.pokeExpander()
  return answer
}
