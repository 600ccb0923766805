import { joinPath, type Mistake } from '../../workspace/settings/mistake.ts'
import type { Declared, DeclaredName, DeclaredWorkspace, PermissionBundle } from './declared.ts'
import { isPermissionName, type PermissionLevel } from './permission-names.ts'

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
    const id = this.find('role', object, path, ['roleName', 'roleId'], listRoles(this.declared))
    if (id === undefined || (object.roleId ?? undefined) !== undefined || hasOneName(id, this.declared)) return id ?? ''
    return this.wrong(joinPath(path, 'roleName'), 'is not its name in every workspace; say which by roleId') ?? ''
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
    [byName, byId]: readonly [string, string],
    known: readonly DeclaredName[],
  ): string | undefined {
    const name = given[byName] ?? undefined
    const id = given[byId] ?? undefined
    const at = joinPath(path, name === undefined && id !== undefined ? byId : byName)
    if (name === undefined && id === undefined) return this.wrong(path, `must have ${byName} or ${byId}`)
    for (const value of [name, id]) {
      if (value !== undefined && typeof value !== 'string') return this.wrong(at, 'must be text')
    }
    const found = known.filter(
      (each) => (name === undefined || each.name === name) && (id === undefined || each.id === id),
    )
    if (found.length === 1) return found[0]!.id
    if (found.length > 1) return this.wrong(at, `is the name of several; say which by ${byId}`)
    return this.wrong(at, `is no ${kind} that is declared here`)
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
    const keys = values.map(keyOfEach)
    const twice = keys.findIndex((key, i) => keys.indexOf(key) !== i)
    if (twice >= 0) this.wrong(`${path}[${twice}]`, 'is given twice')
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

/** Lists every role once: roles of two workspaces with the same id are one role. */
function listRoles({ workspaces }: Declared): DeclaredName[] {
  const roles = new Map<string, DeclaredName>()
  for (const role of workspaces.flatMap((each) => each.roles)) if (!roles.has(role.id)) roles.set(role.id, role)
  return [...roles.values()]
}

/**
 * Whether a role has the same name in every workspace that declares it. Otherwise an administrator of one workspace could rename a role so
 * that a request by name gives out the permissions that it has in another workspace.
 */
function hasOneName(id: string, { workspaces }: Declared): boolean {
  const same = workspaces.flatMap((each) => each.roles.filter((role) => role.id === id))
  return same.every(({ name }) => name === same[0]!.name)
}

/** Returns the permissions object of answers, with names and ids (specification 2.7). Ids that are no longer declared are omitted. */
export function describePermissions({ company, roles, workspaces }: Permissions, declared: Declared): object {
  const known = listRoles(declared)
  return {
    companyPermissions: [...company],
    roles: roles.flatMap((id) => {
      const role = known.find((each) => each.id === id)
      return role === undefined ? [] : [{ roleName: role.name, roleId: id, appGroup: describeRole(id, declared) }]
    }),
    appGroup: workspaces.flatMap((held) => {
      const workspace = declared.workspaces.find((each) => each.id === held.id)
      return workspace === undefined ? [] : [describeWorkspace(held, workspace)]
    }),
  }
}

function describeRole(id: string, { workspaces }: Declared): object[] {
  return workspaces.flatMap((workspace) => {
    const role = workspace.roles.find((each) => each.id === id)
    if (role === undefined) return []
    return [describeWorkspace({ id: workspace.id, permissions: role.permissions, sets: [], teams: [] }, workspace)]
  })
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
  return ids.flatMap((id) => known.find((each) => each.id === id) ?? [])
}
