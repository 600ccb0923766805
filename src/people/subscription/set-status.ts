import type { Call } from '../../base/call.ts'
import { type NoticeMembers, Notices } from '../../base/http/notices.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { matchesNobody } from './schema.ts'
import { type GroupStateRequest, type ReadStates, readBulkSet, readSet } from './set-request.ts'

export type SetServices = {
  workspaces: Workspaces
  /**
   * Applies all states durably, in serial order with track requests. If it rejects, none is applied. Resolves with the items about nobody;
   * the set may have others too. With `strict` no state is applied when there are any.
   */
  applyStates(workspace_id: number, states: GroupStateRequest, strict: boolean): Promise<ReadonlySet<object>>
}

export type SetAnswer = NoticeMembers & { message: 'success' }

/** Sets states of several groups for up to 50 users by external_id, e-mail or phone, all or none (specification 4.2). */
export function setStatuses(call: Call, body: unknown, services: SetServices): Promise<SetAnswer> {
  return apply(call, services, (groups, notices) => readBulkSet(body, groups, notices))
}

/** Sets states of one group (specification 4.3). */
export function setStatus(call: Call, body: unknown, services: SetServices): Promise<SetAnswer> {
  return apply(call, services, (groups, notices) => readSet(body, groups, notices))
}

async function apply(
  { workspace_id, strict }: Call,
  { workspaces, applyStates }: SetServices,
  read: (groups: ReadonlyMap<string, GroupRow>, notices: Notices) => ReadStates,
): Promise<SetAnswer> {
  const notices = new Notices(strict)
  const states = read(workspaces.get(workspace_id).groups, notices)
  notices.checkAll()
  const unmatched = await applyStates(workspace_id, states, strict)
  for (const item of states.attributes) {
    if (!unmatched.has(item)) continue
    notices.begin(item.input_array, item.index)
    notices.add('external_id', matchesNobody)
  }
  notices.checkAll()
  return { ...notices.members(), message: 'success' }
}
