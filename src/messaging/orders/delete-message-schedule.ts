import type { Call } from '../../base/call.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { cancelSchedule } from './change-schedule.ts'
import { getOrder } from './order-store.ts'
import { objectOf } from './read-message-request.ts'
import { readScheduleId } from './schedule-id.ts'

/** Takes back something that waits for its time (contract 10.3): nobody gets it. */
export async function deleteSchedule(call: Call, body: unknown, commit: Commit): Promise<object> {
  const schedule_id = readScheduleId(objectOf(body).schedule_id)
  return commit(async (tx) => {
    await getOrder(tx, call.workspace_id, schedule_id)
    await cancelSchedule(tx, call, schedule_id)
    return {}
  })
}
