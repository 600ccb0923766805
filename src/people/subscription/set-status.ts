import type { Call } from '../../base/call.ts'
import { type NoticeMembers, Notices } from '../../base/http/notices.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import { findPeople } from '../identity/find-people.ts'
import { addressOf } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import { findGroup } from '../profile/group-states.ts'
import { listProfiles } from '../profile/read-store.ts'
import { matchesNobody, nobodyToAsk } from './schema.ts'
import { type ConfirmItem, type GroupStateRequest, type ReadStates, readBulkSet, readSet } from './set-request.ts'

export type SetServices = {
  workspaces: Workspaces
  /**
   * Applies all states durably, in serial order with track requests. If it rejects, none is applied. Resolves with the items about nobody;
   * the set may have others too. With `strict` no state is applied when there are any.
   */
  applyStates(workspace_id: number, states: GroupStateRequest, strict: boolean): Promise<ReadonlySet<object>>
  /** Asks a person to confirm a group that has double opt-in. */
  askConfirmation(
    workspace_id: number,
    asked: { readonly person: Person; readonly group: GroupRow; readonly source: 'api' },
  ): Promise<unknown>
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
  { db, workspace_id, strict }: Call,
  { workspaces, applyStates, askConfirmation }: SetServices,
  read: (groups: ReadonlyMap<string, GroupRow>, notices: Notices) => ReadStates,
): Promise<SetAnswer> {
  const notices = new Notices(strict)
  const { groups } = workspaces.get(workspace_id)
  const states = read(groups, notices)
  const asked = await findAsked(db, { workspace_id, groups }, states.toConfirm, notices)
  notices.checkAll()
  const unmatched = await applyStates(workspace_id, states, strict)
  for (const item of states.attributes) {
    if (!unmatched.has(item)) continue
    notices.begin(item.input_array, item.index)
    notices.add('external_id', matchesNobody)
  }
  notices.checkAll()
  for (const { person, group_id } of asked) {
    await askConfirmation(workspace_id, { person, group: findGroup(groups, group_id)!, source: 'api' })
  }
  return { ...notices.members(), message: 'success' }
}

/** Finds the people who are asked to confirm, one for each identifier. `notices` gets the identifiers of nobody with an address. */
async function findAsked(
  db: Call['db'],
  { workspace_id, groups }: Pick<Workspace, 'workspace_id' | 'groups'>,
  items: readonly ConfirmItem[],
  notices: Notices,
): Promise<{ person: Person; group_id: string }[]> {
  if (items.length === 0) return []
  const identifiers = items.map(({ identifier }) => identifier)
  const found = await findPeople(db, workspace_id, identifiers, () => undefined, 1)
  const profiles = await listProfiles(
    db,
    found.flatMap(({ people }) => people),
  )
  const byId = new Map(profiles.map((profile) => [profile.profile_id, profile]))
  return items.flatMap(({ group_id, input_array, index, identifier }, i) => {
    const [person] = found[i]!.people
    const { channel } = findGroup(groups, group_id)!
    const profile = person && byId.get(person.profile_id)
    if (profile && addressOf(profile, channel === 'email' ? 'email' : 'phone') !== null) return [{ person, group_id }]
    notices.begin(input_array, index)
    notices.add(identifier.kind, nobodyToAsk[channel])
    return []
  })
}
