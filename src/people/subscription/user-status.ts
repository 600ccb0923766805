import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { readWhole } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { findPeople } from '../identity/find-people.ts'
import type { HashAddress, Person } from '../identity/person.ts'
import { listProfiles, type ProfileRow } from '../profile/read-store.ts'
import { addressKeys, effectiveStates, kindOfAddress } from './effective-states.ts'
import { listStates, type StateRow } from './group-state-store.ts'
import type { GroupState } from './membership-store.ts'
import { readIdentifiers } from './status-query.ts'

const limitMax = 100
/** The most people that are read for one shared e-mail or phone. */
const sharersMax = 1_000

export type Status = 'Subscribed' | 'Unsubscribed'

type GroupStates = { id: string; name: string; channel: string; status: Status }[]

export type UserStatus = Pick<ProfileRow, 'email' | 'phone' | 'external_id'> & { subscription_groups: GroupStates }

export type StatusAnswer = { users: UserStatus[]; total_count: number; message: 'success' }

export type StatusServices = { workspaces: Workspaces; hashAddress: HashAddress }

/** Returns the groups of people found by external_id, e-mail or phone (specification 4.4): the union, each person once. */
export async function userStatus(call: Call, query: Query, services: StatusServices): Promise<StatusAnswer> {
  const identifiers = Object.values(readIdentifiers(query)).flatMap((list) => list.map(({ identifier }) => identifier))
  const offset = readWhole(query, 'offset', 0)
  const limit = Math.min(readWhole(query, 'limit', limitMax), limitMax)
  const found = await findPeople(call.db, call.workspace_id, identifiers, () => undefined, sharersMax)
  const people = [...new Map(found.flatMap((each) => each.people).map((one) => [one.profile_id, one])).values()]
  const { groups } = services.workspaces.get(call.workspace_id)
  const byNumber = new Map([...groups.values()].map((group) => [group.group_id, group]))
  const listed = await listStatuses(call, people.slice(offset, offset + limit), byNumber, services)
  const users = listed.map(({ profile: { email, phone, external_id }, subscription_groups }) => {
    return { email, phone, external_id, subscription_groups }
  })
  return { users, total_count: people.length, message: 'success' }
}

/** Returns the states in effect for people in these groups. People who were merged or deleted meanwhile are omitted. */
export async function listStatuses(
  call: { readonly db: Tx; readonly workspace_id: number },
  people: readonly Person[],
  groups: ReadonlyMap<number, GroupRow>,
  services: StatusServices,
): Promise<{ profile: ProfileRow; subscription_groups: GroupStates }[]> {
  if (people.length === 0) return []
  const profiles = await listProfiles(call.db, people)
  const keys = profiles.flatMap((profile, i) => addressKeys(call.workspace_id, profile, i + 1, services.hashAddress))
  const byId = new Map(people.map((one) => [one.profile_id, one]))
  const own = await listStates(
    call.db,
    profiles.map((profile) => byId.get(profile.profile_id)!),
    keys,
  )
  const rows = Map.groupBy(own, (row) => row.n)
  return profiles.map((profile, i) => ({ profile, subscription_groups: describeStates(rows.get(i + 1) ?? [], groups) }))
}

/** Returns the state in effect of each group, with the name of the group. */
function describeStates(rows: readonly StateRow[], groups: ReadonlyMap<number, GroupRow>): GroupStates {
  return [...effectiveStates(rows, (group_id) => kindOfAddress(groups.get(group_id)))].map(([group_id, state]) => {
    const { id, name, channel } = groups.get(group_id)!
    return { id, name, channel, status: formatStatus(state) }
  })
}

export function formatStatus(state: GroupState): Status {
  return state === 'subscribed' ? 'Subscribed' : 'Unsubscribed'
}
