import type { Call } from '../../base/call.ts'
import { cancelSchedule } from './change.ts'
import { getFlow, type Trigger } from './flow-order.ts'
import { checkOrder } from './flow-order-store.ts'
import { readFlowId } from './flow-read.ts'
import { objectOf } from './read.ts'
import { readScheduleId } from './schedule-id.ts'

/** Takes back an order that waits for its time (contract 4.8): nobody enters by it. */
export async function deleteFlowSchedule(
  call: Call,
  body: unknown,
  { words, commit }: Omit<Trigger, 'parts'>,
): Promise<object> {
  const given = objectOf(body)
  const id = readFlowId(given[words.idName], words)
  const schedule_id = readScheduleId(given.schedule_id)
  return commit(async (tx) => {
    await checkOrder(tx, await getFlow(tx, call, id, words), schedule_id)
    await cancelSchedule(tx, call, schedule_id)
    return {}
  })
}
