import type { Call } from '../../base/call.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { cancelSchedule, lockMessageOrder } from './change-schedule.ts'
import { readBody } from './read-body.ts'
import { readScheduleId } from './read-schedule.ts'

/** Cancels messages that wait for their time (contract 10.3). Throws 400. */
export async function deleteMessageSchedule(call: Call, given: unknown, commit: Commit): Promise<object> {
  const schedule_id = readScheduleId(readBody(given).schedule_id)
  return commit(async (tx) => {
    await cancelSchedule(tx, call, await lockMessageOrder(tx, call.workspace_id, schedule_id))
    return {}
  })
}
