import type { Call } from '../../base/call.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { cancelSchedule, lockMessageOrder } from './change-schedule.ts'
import { readBody } from './read-message-request.ts'
import { readScheduleId } from './schedule-id.ts'

/** Takes back something that waits for its time (contract 10.3): nobody gets it. */
export async function deleteMessageSchedule(call: Call, body: unknown, commit: Commit): Promise<object> {
  const schedule_id = readScheduleId(readBody(body).schedule_id)
  return commit(async (tx) => {
    await cancelSchedule(tx, call, await lockMessageOrder(tx, call.workspace_id, schedule_id))
    return {}
  })
}
