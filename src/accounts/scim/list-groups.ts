import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { notFound } from '../../base/errors.ts'
import type { Request } from '../../base/http/route.ts'
import { findHoldings, listHolders } from '../accounts/account-store.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import type { ScimFilter } from './filter.ts'
import { matchesFilter, type ScimObject } from './filter-match.ts'
import { selectedIds } from './group-request.ts'
import { listGroupIds } from './group-store.ts'
import { type Group, isMember, listGroups, membershipOf } from './groups.ts'
import { chainPath, findChain } from './path.ts'
import { type Projection, project } from './projection.ts'
import { listReply, type ScimServices } from './reply.ts'
import { groupResource, groupSchema } from './schema.ts'
import { invalidValue, toScimFailure } from './scim-failure.ts'
import { readProjectionQuery, readSearchBody, readSearchQuery, type ScimSearch } from './search-request.ts'
import { scimBase, userLocation } from './user.ts'

/** Members in the answer to one list. A page ends early, with at least one group, when it would have more. */
export const listedMembersMax = 20_000
/** Groups that a filter looks at before other requests have their turn. */
const sliceMax = 200

/** Lists roles and teams: `GET /scim/v2/Groups`. */
export function findGroups(call: Call, { query }: Request, services: ScimServices): Promise<object> {
  return find(call, readSearchQuery(query, groupResource), services)
}

/** Lists roles and teams for a request with a body: `POST /scim/v2/Groups/.search`. */
export function searchGroups(call: Call, { body }: Request, services: ScimServices): Promise<object> {
  return find(call, readSearchBody(body, groupResource), services)
}

/** Reads a role or a team: `GET /scim/v2/Groups/{id}`. Throws 404. */
export async function readGroupById({ db }: Call, { params, query }: Request, services: ScimServices): Promise<object> {
  const projection = readProjectionQuery(query)
  const group = getGroup(params.id!, await readDeclared(db))
  return toGroupReply(db, group, projection, services)
}

/** Finds a group. Throws 404. */
export function getGroup(id: string, declared: Declared): Group {
  const found = listGroups(declared).get(id)
  if (found === undefined) throw notFound('Group not found')
  return found
}

export async function toGroupReply(
  tx: Tx,
  group: Group,
  projection: Projection,
  services: ScimServices,
): Promise<object> {
  const resource = toGroup(group, (await listGroupIds(tx)).get(group.id), services)
  const members = showsMembers(projection) ? await listMembers(tx, group, services) : []
  return project({ ...resource, ...(members.length > 0 && { members }) }, projection, groupResource)
}

export function groupLocation({ id }: Pick<Group, 'id'>, publicUrl: string): string {
  return `${scimBase(publicUrl)}/Groups/${id}`
}

async function find({ db }: Call, search: ScimSearch, services: ScimServices): Promise<object> {
  const { filter, startIndex, count, projection } = search
  const declared = await readDeclared(db)
  const externalIds = await listGroupIds(db)
  const all = [...listGroups(declared).values()]
  const matching = filter === undefined ? all : await select(db, filter, all, externalIds, services)
  const sorted = sortGroups(matching, search, externalIds)
  const page = sorted.slice(startIndex - 1, startIndex - 1 + count)
  const resources: object[] = []
  let listed = 0
  for (const group of page) {
    const members = showsMembers(projection) ? await listMembers(db, group, services) : []
    listed += members.length
    if (resources.length > 0 && listed > listedMembersMax) break
    const resource = toGroup(group, externalIds.get(group.id), services)
    resources.push(project({ ...resource, ...(members.length > 0 && { members }) }, projection, groupResource))
  }
  return listReply(resources, sorted.length, startIndex)
}

function toGroup(group: Group, externalId: string | undefined, { publicUrl }: ScimServices): ScimObject {
  return {
    schemas: [groupSchema],
    id: group.id,
    ...(externalId !== undefined && { externalId }),
    displayName: group.displayName,
    meta: { resourceType: 'Group', location: groupLocation(group, publicUrl) },
  }
}

function showsMembers(projection: Projection): boolean {
  return 'members' in project({ members: [{ value: '' }] }, projection, groupResource)
}

async function listMembers(tx: Tx, group: Group, { publicUrl }: ScimServices): Promise<object[]> {
  const holders = await listHolders(tx, membershipOf(group))
  return holders.map(({ account_id, user_name }) => ({
    value: account_id,
    $ref: userLocation({ account_id }, publicUrl),
    display: user_name,
    type: 'User',
  }))
}

/** A filter on members looks only at the users that it names, so no group is read with all of its members. */
async function select(
  tx: Tx,
  filter: ScimFilter,
  groups: readonly Group[],
  externalIds: ReadonlyMap<string, string>,
  services: ScimServices,
): Promise<Group[]> {
  const holdings = await findHoldings(tx, namedMembers(filter))
  const matching: Group[] = []
  for (const [i, group] of groups.entries()) {
    if (i % sliceMax === sliceMax - 1) await nextTurn()
    const members = holdings
      .filter(({ permissions }) => isMember(permissions, group))
      .map(({ account_id }) => ({ value: account_id }))
    const resource = { ...toGroup(group, externalIds.get(group.id), services), members }
    if (matchesFilter(filter, resource, groupResource)) matching.push(group)
  }
  return matching
}

/** Returns the ids of users that a filter compares members with. Throws 400 for any other look at members. */
function namedMembers(filter: ScimFilter): string[] {
  if ('all' in filter) return filter.all.flatMap(namedMembers)
  if ('any' in filter) return filter.any.flatMap(namedMembers)
  if ('not' in filter) return namedMembers(filter.not)
  const isList = 'some' in filter
  if (!isList && !filter.path.startsWith('members')) return []
  const ids = selectedIds(isList ? filter.of : { ...filter, path: filter.path.replace(/^members\.?/, '') })
  if (ids !== undefined) return ids
  throw toScimFailure({ scimType: 'invalidFilter', detail: 'members can be compared with eq, by the ids of users' })
}

const sortPaths = ['id', 'externalId', 'displayName'] as const

function sortGroups(
  groups: readonly Group[],
  { sortBy, isDescending }: ScimSearch,
  externalIds: ReadonlyMap<string, string>,
): readonly Group[] {
  if (sortBy === undefined) return isDescending ? groups.toReversed() : groups
  const chain = findChain(sortBy, groupResource)
  const path = sortPaths.find((each) => chain && chainPath(chain) === each)
  if (path === undefined) throw invalidValue('sortBy must be displayName, id or externalId')
  const keyOf = (group: Group) =>
    path === 'externalId' ? externalIds.get(group.id) : path === 'id' ? group.id : group.displayName.toLowerCase()
  const sign = isDescending ? -1 : 1
  return groups.toSorted((one, other) => sign * compareKeys(keyOf(one), keyOf(other)))
}

/** Groups without a value come last. */
function compareKeys(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return one < other ? -1 : 1
}
