import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import { findPeople } from '../identity/find-people.ts'
import { located } from '../identity/person.ts'
import { findGroup } from '../profile/group-states.ts'
import { listLatestStates } from './group-state-store.ts'
import { emailAndPhone, emailOfSms, phoneOfEmail, unknownGroup } from './schema.ts'
import { type QueriedIdentifier, readIdentifiers } from './status-query.ts'
import { formatStatus, listStatuses, type Status, type StatusServices } from './user-status.ts'

export type GroupStatus = { status: Readonly<Record<string, Status | 'unknown'>> }

/**
 * Returns the state of one group by external_id, or else by e-mail address or phone number (contract 10.2). The keys are the identifiers as
 * they were sent. The state of an address is the latest one of the address or of a person who has it.
 */
export async function groupStatus(call: Call, query: Query, services: StatusServices): Promise<GroupStatus> {
  const { groups } = services.workspaces.get(call.workspace_id)
  const group = findGroup(groups, readSingle(query, 'subscription_group_id'))
  if (!group) throw invalid(unknownGroup)
  const { external_id, email, phone } = readIdentifiers(withoutOthers(query))
  if (external_id.length > 0) return answer(external_id, await statesOfPeople(call, external_id, group, services))
  if (email.length > 0 && phone.length > 0) throw invalid(emailAndPhone)
  if (group.channel === 'sms' && email.length > 0) throw invalid(emailOfSms)
  if (group.channel === 'email' && phone.length > 0) throw invalid(phoneOfEmail)
  const queried = [...email, ...phone]
  return answer(queried, await statesOfAddresses(call, queried, group, services))
}

/** Returns the identifiers that count: with an external_id, the others are ignored. */
function withoutOthers(query: Query): Query {
  const { external_id = [] } = query
  return external_id.some((text) => text !== '') ? { external_id } : query
}

function answer(queried: readonly QueriedIdentifier[], states: readonly (Status | undefined)[]): GroupStatus {
  return { status: Object.fromEntries(queried.map(({ given }, i) => [given, states[i] ?? 'unknown'])) }
}

type States = readonly (Status | undefined)[]

async function statesOfPeople(
  call: Call,
  queried: readonly QueriedIdentifier[],
  group: GroupRow,
  services: StatusServices,
): Promise<States> {
  const identifier = queried.map((each) => each.identifier)
  const found = await findPeople(call.db, call.workspace_id, identifier, () => undefined, 1)
  const people = found.flatMap((each) => each.people)
  const listed = await listStatuses(call, people, new Map([[group.group_id, group]]), services)
  const byId = new Map(listed.map(({ profile, subscription_groups: [own] }) => [profile.profile_id, own?.status]))
  return found.map(({ people: [one] }) => one && byId.get(one.profile_id))
}

async function statesOfAddresses(
  { db, workspace_id }: Call,
  queried: readonly QueriedIdentifier[],
  { group_id }: GroupRow,
  { hashAddress }: StatusServices,
): Promise<States> {
  const addresses = queried.map(({ identifier }, i) => {
    const { kind, value: address } = identifier as { kind: 'email' | 'phone'; value: string }
    const value = hashAddress(workspace_id, kind, address)
    return { ...located(workspace_id, { kind, value: address }), n: i + 1, address, value }
  })
  const latest = new Map(
    (await listLatestStates(db, group_id, addresses)).map(({ n, state }) => [n, formatStatus(state)]),
  )
  return queried.map((_, i) => latest.get(i + 1))
}
