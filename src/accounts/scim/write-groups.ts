import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { conflict, forbidden } from '../../base/errors.ts'
import { ReplyWithHeaders, type Request } from '../../base/http/route.ts'
import { newUuid } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig, raiseConfigVersion } from '../../workspace/settings/store.ts'
import { findHoldings, listHolders } from '../accounts/account-store.ts'
import { changePermissions } from '../accounts/change-permissions.ts'
import { type AccountWriting, writeAccounts } from '../accounts/write-accounts.ts'
import type { Declared } from '../permissions/declared.ts'
import {
  deleteDeclared,
  insertBundles,
  readDeclared,
  shareDeclared,
  updateBundles,
  updateTeams,
} from '../permissions/declared-store.ts'
import { bundlesMax } from '../permissions/schema.ts'
import { type GroupChange, type MemberChange, readGroup, readGroupPatch } from './group-request.ts'
import { setGroupId } from './group-store.ts'
import { findGroupByName, type Group, membershipOf, withGroup, withoutGroup } from './groups.ts'
import { getGroup, groupLocation, toGroupReply } from './list-groups.ts'
import type { ScimServices } from './reply.ts'
import { invalidValue, toScimFailure } from './scim-failure.ts'
import { readProjectionQuery } from './search-request.ts'
import type { ScimMistake } from './values.ts'

/** Members that are written in one transaction. */
const membersPerTransaction = 100
/** Names of roles, as the workspace file allows them. */
const nameForm = /^\S([^\n\r]{0,253}\S)?$/

/**
 * Creates a role of the default workspace, without permissions: an administrator gives it some. `POST /scim/v2/Groups`. Throws 409 when a
 * role or a team has the name.
 */
export async function createGroup(
  call: Call,
  { body, query }: Request,
  services: ScimServices,
): Promise<ReplyWithHeaders> {
  const projection = readProjectionQuery(query)
  requireGranting(call)
  const change = readChange(readGroup(body))
  const name = readName(change)
  await requireUsers(call, change.members)
  const id = await inConfigTransaction(call, services, async (tx, declared) => {
    if (findGroupByName(name, declared)) throw conflict('A role or a team has this name already')
    const { workspace_id, roles } = declared.workspaces[0]!
    if (roles.length >= bundlesMax) throw conflict(`There are ${bundlesMax} roles, and more are not allowed`)
    const role = { id: newUuid(), name, permissions: [] }
    await insertBundles(tx, 'role', workspace_id, [role], new Date(call.clock.now()))
    await recordAudit(tx, call, { action: 'role.create', target: targetOf(role), after: role, workspace_id })
    const group_id = `role:${role.id}`
    if (change.externalId !== undefined) await setGroupId(tx, group_id, change.externalId)
    return group_id
  })
  await changeMembers(call, services, id, change.members)
  const group = getGroup(id, await readDeclared(call.db))
  const reply = await toGroupReply(call.db, group, projection, services)
  return new ReplyWithHeaders(reply, { Location: groupLocation(group, services.publicUrl) }, 201)
}

/** Sets the name and the members of a group: `PUT /scim/v2/Groups/{id}`. What the body does not name stays. Throws 404 and 409. */
export function replaceGroup(call: Call, request: Request, services: ScimServices): Promise<object> {
  return changeGroup(call, request, services, readGroup)
}

/** Changes the name and the members of a group: `PATCH /scim/v2/Groups/{id}`. Throws 404 and 409. */
export function patchGroup(call: Call, request: Request, services: ScimServices): Promise<object> {
  return changeGroup(call, request, services, readGroupPatch)
}

/**
 * Takes a group from all of its members: `DELETE /scim/v2/Groups/{id}`. A role without permissions is deleted; what a workspace has given
 * permissions, and a team, stay without members. Throws 404.
 */
export async function deleteGroup(call: Call, { params }: Request, services: AccountWriting): Promise<undefined> {
  requireGranting(call)
  const { id } = getGroup(params.id!, await readDeclared(call.db))
  await changeMembers(call, services, id, { isReplaced: true, added: new Set(), removed: new Set() })
  await inConfigTransaction(call, services, async (tx, declared) => {
    const group = getGroup(id, declared)
    await setGroupId(tx, id, null)
    if (group.kind === 'team' || group.role.places.some(({ role }) => role.permissions.length > 0)) return
    // An account may have joined meanwhile.
    const holders = (await listHolders(tx, membershipOf(group))).map(({ account_id }) => account_id)
    await changePermissions(tx, call, declared, holders, (held) => withoutGroup(held, group))
    for (const { workspace, role } of group.role.places) {
      const { workspace_id } = workspace
      await deleteDeclared(tx, 'role', workspace_id, role.id)
      await recordAudit(tx, call, { action: 'role.delete', target: targetOf(role), before: role, workspace_id })
    }
  })
  return undefined
}

async function changeGroup(
  call: Call,
  { params, query, body }: Request,
  services: ScimServices,
  read: typeof readGroup,
): Promise<object> {
  const projection = readProjectionQuery(query)
  requireGranting(call)
  const change = readChange(read(body))
  const { displayName, externalId, members } = change
  const { id, ...before } = getGroup(params.id!, await readDeclared(call.db))
  await requireUsers(call, members)
  if (externalId !== undefined || (displayName !== undefined && displayName !== before.displayName)) {
    await inConfigTransaction(call, services, async (tx, declared) => {
      const group = getGroup(id, declared)
      if (displayName !== undefined && displayName !== group.displayName) {
        await renameGroup(tx, call, declared, group, readName(change))
      }
      if (externalId !== undefined) await setGroupId(tx, id, externalId)
    })
  }
  await changeMembers(call, services, id, members)
  return toGroupReply(call.db, getGroup(id, await readDeclared(call.db)), projection, services)
}

function requireGranting({ actor }: Call): void {
  if (actor.mayGrant === false) throw forbidden('This SCIM token may not change permissions')
}

/** Roles and teams are configuration: their writers run one after the other. */
function inConfigTransaction<T>(
  call: Call,
  services: AccountWriting,
  work: (tx: Tx, declared: Declared) => Promise<T>,
): Promise<T> {
  return writeAccounts(call, services, async (tx) => {
    await lockConfig(tx)
    const done = await work(tx, await readDeclared(tx))
    await raiseConfigVersion(tx)
    return done
  })
}

/** Throws 400 when a new member is no user, before anything is changed. */
async function requireUsers({ db }: Call, { added }: MemberChange): Promise<void> {
  const ids = [...added]
  for (let i = 0; i < ids.length; i += membersPerTransaction) {
    const slice = ids.slice(i, i + membersPerTransaction)
    const known = new Set((await findHoldings(db, slice)).map(({ account_id }) => account_id))
    const unknown = slice.findIndex((id) => !known.has(id))
    if (unknown >= 0) throw invalidValue(`members[${i + unknown}].value must be the id of a user`)
  }
}

/**
 * Changes the members of a group, some in each transaction, so that neither the embedded database nor the accounts are held for long. A
 * change that breaks off is completed by a retry.
 */
async function changeMembers(
  call: Call,
  services: AccountWriting,
  id: string,
  { isReplaced, added, removed }: MemberChange,
): Promise<void> {
  await inSlices(call, services, id, [...added], withGroup)
  if (!isReplaced) return inSlices(call, services, id, [...removed], withoutGroup)
  const holders = await listHolders(call.db, membershipOf(getGroup(id, await readDeclared(call.db))))
  const leaving = holders.map(({ account_id }) => account_id).filter((each) => !added.has(each))
  return inSlices(call, services, id, leaving, withoutGroup)
}

async function inSlices(
  call: Call,
  services: AccountWriting,
  id: string,
  account_ids: readonly string[],
  change: typeof withGroup,
): Promise<void> {
  for (let i = 0; i < account_ids.length; i += membersPerTransaction) {
    await writeAccounts(call, services, async (tx) => {
      await shareDeclared(tx)
      const declared = await readDeclared(tx)
      const group = getGroup(id, declared)
      const slice = account_ids.slice(i, i + membersPerTransaction)
      await changePermissions(tx, call, declared, slice, (held) => change(held, group))
    })
  }
}

/** Renames a role or a team of the default workspace. Another one has its workspace in its name, and is renamed there. */
async function renameGroup(tx: Tx, call: Call, declared: Declared, group: Group, name: string): Promise<void> {
  const [first] = declared.workspaces
  const isOwn =
    group.kind === 'team'
      ? group.workspace === first
      : group.role.places.length === 1 && group.role.places[0]!.workspace === first
  if (!isOwn) {
    const detail = 'displayName cannot be changed here: the name is one of another workspace, or of several'
    throw toScimFailure({ scimType: 'mutability', detail })
  }
  const other = findGroupByName(name, declared)
  if (other !== undefined && other.id !== group.id) throw conflict('A role or a team has this name already')
  const { workspace_id } = first!
  const before = group.kind === 'team' ? group.team : group.role.places[0]!.role
  const after = { ...before, name }
  if (group.kind === 'team') await updateTeams(tx, workspace_id, [after])
  else await updateBundles(tx, 'role', workspace_id, [{ permissions: [], ...after }])
  await recordAudit(tx, call, {
    action: `${group.kind}.update`,
    target: { kind: group.kind, id: before.id, name },
    before,
    after,
    workspace_id,
  })
}

function readChange(read: { change: GroupChange } | { mistake: ScimMistake }): GroupChange {
  if ('mistake' in read) throw toScimFailure(read.mistake)
  return read.change
}

function readName({ displayName }: GroupChange): string {
  if (displayName === undefined) throw invalidValue('displayName is required')
  if (!nameForm.test(displayName)) {
    throw invalidValue('displayName must be one line of 1 to 255 characters without spaces around it')
  }
  return displayName
}

function targetOf({ id, name }: { readonly id: string; readonly name: string }) {
  return { kind: 'role', id, name }
}
