import type { Call } from '../../base/call.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { type GroupStateRequest, readBulkSet, readSet } from './set-request.ts'

export type SetServices = {
  workspaces: Workspaces
  /** Applies all states durably, in serial order with track requests. If it rejects, none is applied. */
  applyStates(workspace_id: number, states: GroupStateRequest): Promise<void>
}

const done = { message: 'success' } as const

/** Sets states of several groups for up to 50 users by external_id, e-mail or phone, all or none (specification 4.2). */
export async function setStatuses(call: Call, body: unknown, services: SetServices): Promise<typeof done> {
  const { groups } = services.workspaces.get(call.workspace_id)
  await services.applyStates(call.workspace_id, readBulkSet(body, groups))
  return done
}

/** Sets states of one group (specification 4.3). */
export async function setStatus(call: Call, body: unknown, services: SetServices): Promise<typeof done> {
  const { groups } = services.workspaces.get(call.workspace_id)
  await services.applyStates(call.workspace_id, readSet(body, groups))
  return done
}
