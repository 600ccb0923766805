import type { Call } from '../../base/call.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { getFlow, readFlowId } from '../flows/find-flows.ts'
import type { FlowKind } from '../flows/flow.ts'
import { cancelSchedule, lockFlowOrder } from './change-schedule.ts'
import { readBody } from './read-body.ts'
import { readScheduleId } from './read-schedule.ts'

/** Cancels an order of a flow that waits for its time (contract 4.8). Throws 400. */
export async function deleteFlowSchedule(call: Call, kind: FlowKind, given: unknown, commit: Commit): Promise<object> {
  const body = readBody(given)
  const id = readFlowId(body[`${kind}_id`], kind)
  const schedule_id = readScheduleId(body.schedule_id)
  return commit(async (tx) => {
    const flow = await getFlow(tx, call.workspace_id, kind, id)
    await cancelSchedule(tx, call, await lockFlowOrder(tx, flow, schedule_id))
    return {}
  })
}
