import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import type { Declared, DeclaredName, DeclaredWorkspace, PermissionBundle } from './declared.ts'
import { isPermissionName, type PermissionLevel } from './permission-names.ts'
import { type DeclaredRole, findRole, findRoleByName, isNameOfRole, type RoleMistake } from './role-names.ts'

const listMax = 1000
const nameCharsMax = 255

export type WorkspacePermissions = {
  /** The public id of the workspace. */
  readonly id: string
  readonly permissions: readonly string[]
  /** Ids of permission sets. */
  readonly sets: readonly string[]
  readonly teams: readonly { readonly id: string; readonly permissions: readonly string[] }[]
}

/** The stored permissions of an account: ids of teams, roles and permission sets, and names of permissions. */
export type Permissions = {
  readonly company: readonly string[]
  /** Ids of roles. */
  readonly roles: readonly string[]
  readonly workspaces: readonly WorkspacePermissions[]
}

export const noPermissions: Permissions = { company: [], roles: [], workspaces: [] }

/** An account without given permissions belongs to the default workspace and may do nothing there (contract 4.10). */
export function defaultPermissions({ workspaces: [first] }: Declared): Permissions {
  if (first === undefined) return noPermissions
  return { ...noPermissions, workspaces: [{ id: first.id, permissions: [], sets: [], teams: [] }] }
}

/**
 * Reads the permissions object of a request (specification 2.7) and looks up its names and ids in the declarations. Properties that only
 * answers have are ignored, so that a client may send an answer back unchanged. Undefined and null mean `defaultPermissions`.
 */
export function resolvePermissions(
  given: unknown,
  declared: Declared,
  path = 'permissions',
): { permissions: Permissions } | { mistake: Mistake } {
  if (given === undefined || given === null) return { permissions: defaultPermissions(declared) }
  const reading = new PermissionsReader(declared)
  const permissions = reading.permissions(given, path)
  return reading.mistake === undefined ? { permissions } : { mistake: reading.mistake }
}

/** What is wrong with the name of a role. */
export const roleMistakes: Readonly<Record<RoleMistake, string>> = {
  unknown: 'is no role that is declared here',
  several: 'is the name of several; write Workspace/Name, or say which by roleId',
  otherNames: 'is not its name in every workspace; say which by roleId',
}

/** Continues after a mistake with an empty value; only the first mistake is reported. */
class PermissionsReader {
  readonly declared: Declared
  mistake: Mistake | undefined

  constructor(declared: Declared) {
    this.declared = declared
  }

  permissions(given: unknown, path: string): Permissions {
    const object = this.object(given, path)
    return {
      company: this.names(object.companyPermissions, joinPath(path, 'companyPermissions'), 'company'),
      roles: this.list(object.roles, joinPath(path, 'roles'), (each, at) => this.role(each, at)),
      workspaces: this.list(object.appGroup, joinPath(path, 'appGroup'), (each, at) => this.workspace(each, at), idOf),
    }
  }

  private role(given: unknown, path: string): string {
    const object = this.object(given, path)
    const names = ['roleName', 'roleId'] as const
    const read = this.nameAndId(object, path, names)
    if (read === undefined) return ''
    const { name, id, at } = read
    if (id !== undefined) {
      const fits = findRole(id, this.declared) && (name === undefined || isNameOfRole(name, id, this.declared))
      return fits ? id : (this.wrong(at, 'is no role that is declared here') ?? '')
    }
    const found = findRoleByName(name!, this.declared)
    return 'id' in found ? found.id : (this.wrong(at, roleMistakes[found.mistake]) ?? '')
  }

  private workspace(given: unknown, path: string): WorkspacePermissions {
    const object = this.object(given, path)
    const { workspaces } = this.declared
    const id = this.find('workspace', object, path, ['appGroupName', 'appGroupId'], workspaces) ?? ''
    const workspace = workspaces.find((each) => each.id === id)
    const own = object.appGroupPermissions ?? undefined
    const sets = object.appGroupPermissionSets ?? undefined
    if (own === undefined && sets === undefined && (object.team ?? undefined) === undefined) {
      this.wrong(path, 'must have appGroupPermissions or appGroupPermissionSets')
    }
    return {
      id,
      permissions: this.names(own, joinPath(path, 'appGroupPermissions'), 'workspace'),
      sets: this.list(sets, joinPath(path, 'appGroupPermissionSets'), (each, at) => this.set(each, at, workspace)),
      teams: this.list(object.team, joinPath(path, 'team'), (each, at) => this.team(each, at, workspace), idOf),
    }
  }

  private set(given: unknown, path: string, workspace: DeclaredWorkspace | undefined): string {
    // The interface writes ...ID in requests and ...Id in answers.
    const { appGroupPermissionSetID, ...object } = this.object(given, path)
    const named = { appGroupPermissionSetId: appGroupPermissionSetID, ...object }
    const members = ['appGroupPermissionSetName', 'appGroupPermissionSetId'] as const
    return this.find('permission set', named, path, members, workspace?.sets ?? []) ?? ''
  }

  private team(given: unknown, path: string, workspace: DeclaredWorkspace | undefined) {
    const object = this.object(given, path)
    const id = this.find('team', object, path, ['teamName', 'teamId'], workspace?.teams ?? []) ?? ''
    const at = joinPath(path, 'teamPermissions')
    if ((object.teamPermissions ?? undefined) === undefined)
      this.wrong(at, 'is missing; it must be a list of permissions')
    return { id, permissions: this.names(object.teamPermissions, at, 'team') }
  }

  /** Returns the id of an object that is given by name or by id. When both are given, they must match. */
  private find(
    kind: string,
    given: Readonly<Record<string, unknown>>,
    path: string,
    names: readonly [string, string],
    known: readonly DeclaredName[],
  ): string | undefined {
    const read = this.nameAndId(given, path, names)
    if (read === undefined) return undefined
    const { name, id, at } = read
    const { byId, byName } = indexOf(known)
    const found =
      id === undefined ? (byName.get(name!) ?? []) : (byId.get(id) ?? []).filter((each) => fitsName(each, name))
    if (found.length === 1) return found[0]!.id
    if (found.length > 1) return this.wrong(at, `is the name of several; say which by ${names[1]}`)
    return this.wrong(at, `is no ${kind} that is declared here`)
  }

  /** Returns the given name or id, of which one must be there; `at` is the path of the one for messages. */
  private nameAndId(
    given: Readonly<Record<string, unknown>>,
    path: string,
    [byName, byId]: readonly [string, string],
  ): { name: string | undefined; id: string | undefined; at: string } | undefined {
    const name = given[byName] ?? undefined
    const id = given[byId] ?? undefined
    const at = joinPath(path, name === undefined && id !== undefined ? byId : byName)
    if (name === undefined && id === undefined) return this.wrong(path, `must have ${byName} or ${byId}`)
    if (isMaybeText(name) && isMaybeText(id)) return { name, id, at }
    return this.wrong(at, 'must be text')
  }

  private names(given: unknown, path: string, level: PermissionLevel): string[] {
    return this.list(given, path, (each, at) => {
      if (typeof each !== 'string' || each === '') return this.wrong(at, 'must be the name of a permission') ?? ''
      if (isPermissionName(level, each)) return each
      const fits = this.declared.keepsUnknown && each.length <= nameCharsMax && /^[^\0-\x1f\x7f]+$/.test(each)
      if (!fits || !each.isWellFormed()) this.wrong(at, `is no ${level} permission`)
      return each
    })
  }

  /** Reads a list. A repeated value is kept once; with `keyOfEach`, a repeated key is a mistake. */
  private list<T>(
    given: unknown,
    path: string,
    read: (each: unknown, path: string) => T,
    keyOfEach?: (each: T) => string,
  ): T[] {
    if (given === undefined || given === null) return []
    if (!Array.isArray(given)) {
      this.wrong(path, 'must be a list')
      return []
    }
    if (given.length > listMax) {
      this.wrong(path, `must have at most ${listMax} entries`)
      return []
    }
    const values = given.map((each, i) => read(each, `${path}[${i}]`))
    if (keyOfEach === undefined) return [...new Set(values)]
    const keys = new Set<string>()
    for (const [i, key] of values.map(keyOfEach).entries()) {
      if (keys.has(key)) this.wrong(`${path}[${i}]`, 'is given twice')
      keys.add(key)
    }
    return values
  }

  private object(given: unknown, path: string): Readonly<Record<string, unknown>> {
    if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as Record<string, unknown>
    this.wrong(path, 'must be an object')
    return {}
  }

  private wrong(path: string, message: string): undefined {
    this.mistake ??= { path, message }
    return undefined
  }
}

function idOf({ id }: { readonly id: string }): string {
  return id
}

type NameIndex = {
  readonly byId: ReadonlyMap<string, readonly DeclaredName[]>
  readonly byName: ReadonlyMap<string, readonly DeclaredName[]>
}

const nameIndexes = new WeakMap<readonly DeclaredName[], NameIndex>()

/** A request may have thousands of names, so the declared ones are not searched for each. */
function indexOf(known: readonly DeclaredName[]): NameIndex {
  const stored = nameIndexes.get(known)
  if (stored) return stored
  const index = { byId: Map.groupBy(known, ({ id }) => id), byName: Map.groupBy(known, ({ name }) => name) }
  nameIndexes.set(known, index)
  return index
}

function fitsName(each: DeclaredName, name: string | undefined): boolean {
  return name === undefined || each.name === name
}

function isMaybeText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

/** Returns the permissions object of answers, with names and ids (specification 2.7). Ids that are no longer declared are omitted. */
export function describePermissions({ company, roles, workspaces }: Permissions, declared: Declared): object {
  return {
    companyPermissions: [...company],
    roles: roles.flatMap((id) => {
      const role = findRole(id, declared)
      return role === undefined ? [] : [{ roleName: role.name, roleId: id, appGroup: describeRole(role) }]
    }),
    appGroup: workspaces.flatMap((held) => {
      const workspace = declared.workspaces.find((each) => each.id === held.id)
      return workspace === undefined ? [] : [describeWorkspace(held, workspace)]
    }),
  }
}

function describeRole({ places }: DeclaredRole): object[] {
  return places.map(({ workspace, role: { permissions } }) =>
    describeWorkspace({ id: workspace.id, permissions, sets: [], teams: [] }, workspace),
  )
}

function describeWorkspace({ permissions, sets, teams }: WorkspacePermissions, workspace: DeclaredWorkspace): object {
  const setReplies = pick(sets, workspace.sets).map(({ id, name, permissions: included }: PermissionBundle) => ({
    appGroupPermissionSetName: name,
    appGroupPermissionSetId: id,
    permissions: [...included],
  }))
  return {
    appGroupId: workspace.id,
    appGroupName: workspace.name,
    appGroupPermissions: [...permissions],
    ...(setReplies.length > 0 && { appGroupPermissionSets: setReplies }),
    team: teams.flatMap(({ id, permissions: held }) =>
      pick([id], workspace.teams).map(({ name }) => ({ teamId: id, teamName: name, teamPermissions: [...held] })),
    ),
  }
}

function pick<T extends DeclaredName>(ids: readonly string[], known: readonly T[]): T[] {
  const { byId } = indexOf(known)
  return ids.flatMap((id) => (byId.get(id) ?? []) as readonly T[])
}
