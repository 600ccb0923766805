import type { Call } from '../../base/call.ts'
import { getFlow, readFlowId } from '../flows/find.ts'
import { cancelSchedule, lockFlowOrder } from './change-schedule.ts'
import type { TriggerCall } from './place-flow-order.ts'
import { readBody } from './read-message-request.ts'
import { readScheduleId } from './schedule-id.ts'

/** Takes back an order that waits for its time (contract 4.8): nobody enters by it. */
export async function deleteFlowSchedule(
  call: Call,
  body: unknown,
  { kind, commit }: Omit<TriggerCall, 'parts'>,
): Promise<object> {
  const given = readBody(body)
  const id = readFlowId(given[`${kind}_id`], kind)
  const schedule_id = readScheduleId(given.schedule_id)
  return commit(async (tx) => {
    const flow = await getFlow(tx, call.workspace_id, kind, id)
    await cancelSchedule(tx, call, await lockFlowOrder(tx, flow, schedule_id))
    return {}
  })
}
