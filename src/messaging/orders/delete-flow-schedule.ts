import type { Call } from '../../base/call.ts'
import { getFlow, readFlowId } from '../flows/find.ts'
import { cancelSchedule } from './change-schedule.ts'
import { checkOrder } from './flow-order-store.ts'
import type { Trigger } from './place-flow-order.ts'
import { objectOf } from './read-message-request.ts'
import { readScheduleId } from './schedule-id.ts'

/** Takes back an order that waits for its time (contract 4.8): nobody enters by it. */
export async function deleteFlowSchedule(
  call: Call,
  body: unknown,
  { kind, commit }: Omit<Trigger, 'parts'>,
): Promise<object> {
  const given = objectOf(body)
  const id = readFlowId(given[`${kind}_id`], kind)
  const schedule_id = readScheduleId(given.schedule_id)
  return commit(async (tx) => {
    await checkOrder(tx, await getFlow(tx, call.workspace_id, kind, id), schedule_id)
    await cancelSchedule(tx, call, schedule_id)
    return {}
  })
}
