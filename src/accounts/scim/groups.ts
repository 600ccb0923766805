import type { Declared, DeclaredName, DeclaredWorkspace } from '../permissions/declared.ts'
import type { Permissions } from '../permissions/permissions.ts'
import { type DeclaredRole, listRoles, qualifiedName } from '../permissions/role-names.ts'

/** A role or a team, as SCIM shows it. `id` has the kind in it: roles and teams have ids of their own. */
export type Group = { readonly id: string; readonly displayName: string } & (
  | { readonly kind: 'role'; readonly role: DeclaredRole }
  | { readonly kind: 'team'; readonly workspace: DeclaredWorkspace; readonly team: DeclaredName }
)

const lists = new WeakMap<Declared, ReadonlyMap<string, Group>>()

/** Lists all groups by their ids: roles, then teams, in the order of the workspaces. No two have the same name. */
export function listGroups(declared: Declared): ReadonlyMap<string, Group> {
  const known = lists.get(declared)
  if (known) return known
  const names = new Set<string>()
  const groups = new Map<string, Group>()
  const add = (group: Group, ...candidates: readonly string[]) => {
    const displayName = candidates.find((name) => !names.has(name.toLowerCase())) ?? group.id
    names.add(displayName.toLowerCase())
    groups.set(group.id, { ...group, displayName })
  }
  for (const role of listRoles(declared)) {
    const { workspace, role: declaredRole } = role.places[0]!
    const group = { id: `role:${role.id}`, displayName: '', kind: 'role', role } as const
    add(group, role.name, qualifiedName(workspace, declaredRole))
  }
  for (const workspace of declared.workspaces) {
    for (const team of workspace.teams) {
      const group = { id: `team:${workspace.id}:${team.id}`, displayName: '', kind: 'team', workspace, team } as const
      const qualified = qualifiedName(workspace, team)
      const plain = workspace === declared.workspaces[0] ? [team.name] : []
      add(group, ...plain, qualified, `${qualified} (team)`)
    }
  }
  lists.set(declared, groups)
  return groups
}

/** Finds the group of a name without regard to case, as providers compare names. */
export function findGroupByName(name: string, declared: Declared): Group | undefined {
  const lower = name.toLowerCase()
  return listGroups(declared)
    .values()
    .find(({ displayName }) => displayName.toLowerCase() === lower)
}

/** Returns a part of the permissions of every member: for the database, and for a look at one account. */
export function membershipOf(group: Group): object {
  if (group.kind === 'role') return { roles: [group.role.id] }
  return { workspaces: [{ id: group.workspace.id, teams: [{ id: group.team.id }] }] }
}

export function isMember({ roles, workspaces }: Permissions, group: Group): boolean {
  if (group.kind === 'role') return roles.includes(group.role.id)
  const held = workspaces.find(({ id }) => id === group.workspace.id)
  return held?.teams.some(({ id }) => id === group.team.id) ?? false
}

/** Returns the permissions of an account that joins a group; the same object for a member. A team gives no permission by itself. */
export function withGroup(permissions: Permissions, group: Group): Permissions {
  if (isMember(permissions, group)) return permissions
  const { roles, workspaces } = permissions
  if (group.kind === 'role') return { ...permissions, roles: [...roles, group.role.id] }
  const { workspace, team } = group
  const held = workspaces.find(({ id }) => id === workspace.id)
  const own = held ?? { id: workspace.id, permissions: [], sets: [], teams: [] }
  const joined = { ...own, teams: [...own.teams, { id: team.id, permissions: [] }] }
  return { ...permissions, workspaces: [...workspaces.filter((each) => each !== held), joined] }
}

/** Returns the permissions of an account that leaves a group; the same object when it is not a member. */
export function withoutGroup(permissions: Permissions, group: Group): Permissions {
  if (!isMember(permissions, group)) return permissions
  const { roles, workspaces } = permissions
  if (group.kind === 'role') return { ...permissions, roles: roles.filter((id) => id !== group.role.id) }
  const { workspace, team } = group
  return {
    ...permissions,
    workspaces: workspaces.map((each) =>
      each.id === workspace.id ? { ...each, teams: each.teams.filter(({ id }) => id !== team.id) } : each,
    ),
  }
}
