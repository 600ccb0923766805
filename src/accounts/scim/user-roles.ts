import type { Declared } from '../permissions/declared.ts'
import { defaultPermissions, type Permissions } from '../permissions/permissions.ts'
import { findRole, findRoleByName } from '../permissions/role-names.ts'
import type { ScimObject } from './filter-match.ts'
import type { GivenUser, ScimMistake } from './values.ts'

/** Returns the name by which SCIM shows a role, given its name or its id; undefined when no role is meant. */
export function findRoleName(text: string, declared: Declared): string | undefined {
  const id = findRoleId(text, declared)
  return id === undefined ? undefined : findRole(id, declared)?.name
}

/** A name has precedence over an id: nobody can give a role the id that is the name of another. */
function findRoleId(text: string, declared: Declared): string | undefined {
  const found = findRoleByName(text, declared)
  if ('id' in found) return found.id
  if (found.mistake !== 'unknown') return undefined
  return findRole(text, declared)?.id ?? findRoleInJson(text, declared)
}

/** The members of a role in JSON text that may name it, in this order. The `id` of a provider is often an id of its own. */
const roleMembers = ['value', 'displayName', 'id'] as const

/** Finds the role of a text such as `{"id":"1f0c","value":"Editor","displayName":"Editor"}`, as one provider sends its roles. */
function findRoleInJson(text: string, declared: Declared): string | undefined {
  const given = parseObject(text)
  const names = given ? roleMembers.map((name) => given[name]) : []
  for (const name of names) {
    const id = typeof name === 'string' && !name.startsWith('{') ? findRoleId(name, declared) : undefined
    if (id !== undefined) return id
  }
  return undefined
}

function parseObject(text: string): ScimObject | undefined {
  if (!text.startsWith('{')) return undefined
  try {
    return JSON.parse(text) as ScimObject
  } catch {
    // Text that is not JSON names no role, and the caller says so.
    return undefined
  }
}

/** Returns the `roles` of a user. Only a single one is primary: providers replace the primary role. */
export function describeRoles({ roles }: Permissions, declared: Declared): object[] {
  const shown = roles.flatMap((id) => findRole(id, declared) ?? [])
  return shown.map(({ name }) => ({ value: name, display: name, ...(shown.length === 1 && { primary: true }) }))
}

/** Looks up the `roles` of a request; undefined when it gives none. */
export function readRoles(
  given: GivenUser['roles'],
  declared: Declared,
): { value: readonly string[] | undefined } | { mistake: ScimMistake } {
  const ids = given?.map(({ value }) => findRoleId(value, declared))
  const at = ids?.indexOf(undefined) ?? -1
  if (at < 0) return { value: ids as readonly string[] | undefined }
  const detail = `roles[${at}].value must be the name or the id of a role that is declared here`
  return { mistake: { scimType: 'invalidValue', detail } }
}

/**
 * Changes permissions by `roles`. Only the difference to what the account had counts, so that a client that changes `permissions` may send
 * `roles` back as they were answered.
 */
export function changeRoles(
  wanted: Permissions,
  given: readonly string[] | undefined,
  before: Permissions,
  declared: Declared,
): Permissions {
  if (given === undefined) return wanted
  const had = before.roles.filter((id) => findRole(id, declared) !== undefined)
  const added = given.filter((id) => !had.includes(id))
  const removed = had.filter((id) => !given.includes(id))
  if (added.length + removed.length === 0) return wanted
  const kept = wanted.roles.filter((id) => !removed.includes(id))
  return { ...wanted, roles: [...new Set([...kept, ...added])] }
}

/** The permissions of an account that comes without any: `settings.scim.default_role` in addition to the default workspace. */
export function initialPermissions(declared: Declared): Permissions {
  const { defaultRole } = declared
  const id = defaultRole === undefined ? undefined : findRoleId(defaultRole, declared)
  const permissions = defaultPermissions(declared)
  return id === undefined ? permissions : { ...permissions, roles: [id] }
}
