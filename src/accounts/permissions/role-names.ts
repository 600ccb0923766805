import type { Declared, DeclaredName, DeclaredWorkspace, PermissionBundle } from './declared.ts'

/** A role with every workspace that declares it: roles of two workspaces with the same id are one role. */
export type DeclaredRole = {
  readonly id: string
  /** The name by which SCIM finds it: its own, or `Workspace/Name` where that one means another role. */
  readonly name: string
  readonly places: readonly { readonly workspace: DeclaredWorkspace; readonly role: PermissionBundle }[]
}

type Place = DeclaredRole['places'][number]

/** Why a name finds no role. */
export type RoleMistake = 'unknown' | 'several' | 'otherNames'

type RoleIndex = {
  readonly roles: ReadonlyMap<string, DeclaredRole>
  /** Places by the name of the role, and by `Workspace/Name`. */
  readonly places: ReadonlyMap<string, readonly Place[]>
}

const indexes = new WeakMap<Declared, RoleIndex>()

/** Returns every role once, in the order of the workspaces. */
export function listRoles(declared: Declared): DeclaredRole[] {
  return [...indexOf(declared).roles.values()]
}

export function findRole(id: string, declared: Declared): DeclaredRole | undefined {
  return indexOf(declared).roles.get(id)
}

/**
 * Finds the id of a role by its name. A name alone means the role of the default workspace; otherwise the only role that has it. So nobody
 * who declares a role in one workspace changes what a name means in another. `Workspace/Name` finds the others.
 */
export function findRoleByName(name: string, declared: Declared): { id: string } | { mistake: RoleMistake } {
  const { places } = indexOf(declared)
  const found = findPlaces(name, places, declared.workspaces[0])
  const [first, ...others] = new Set(found.map(({ role }) => role.id))
  if (first === undefined || others.length > 0) return { mistake: first === undefined ? 'unknown' : 'several' }
  return hasOneName(first, declared) ? { id: first } : { mistake: 'otherNames' }
}

/** Whether `name` is a name of the role: its own in one of its workspaces, or `Workspace/Name`. */
export function isNameOfRole(name: string, id: string, declared: Declared): boolean {
  return (indexOf(declared).places.get(name) ?? []).some(({ role }) => role.id === id)
}

/**
 * Whether a role has the same name in every workspace that declares it. Otherwise an administrator of one workspace could rename a role so
 * that a request by name gives out the permissions that it has in another workspace.
 */
function hasOneName(id: string, declared: Declared): boolean {
  const [first, ...others] = findRole(id, declared)?.places ?? []
  return others.every(({ role }) => role.name === first!.role.name)
}

/** `Workspace/Name` has precedence over a role that is called so, and the default workspace over the others. */
function findPlaces(name: string, places: RoleIndex['places'], first: DeclaredWorkspace | undefined): readonly Place[] {
  const found = places.get(name) ?? []
  const qualified = found.filter(({ workspace, role }) => qualifiedName(workspace, role) === name)
  if (qualified.length > 0) return qualified
  const own = found.filter(({ workspace }) => workspace === first)
  return own.length > 0 ? own : found
}

function indexOf(declared: Declared): RoleIndex {
  const known = indexes.get(declared)
  if (known) return known
  const { workspaces } = declared
  const all = workspaces.flatMap((workspace) => workspace.roles.map((role) => ({ workspace, role })))
  const places = Map.groupBy(
    all.flatMap((place) => [
      { place, name: place.role.name },
      { place, name: qualifiedName(place.workspace, place.role) },
    ]),
    ({ name }) => name,
  )
  const byName = new Map(places.entries().map(([name, found]) => [name, found.map(({ place }) => place)]))
  const roles = new Map<string, DeclaredRole>()
  for (const [id, own] of Map.groupBy(all, ({ role }) => role.id)) {
    const { workspace, role } = own[0]!
    const means = findPlaces(role.name, byName, workspaces[0])
    const isClear = means.every((place) => place.role.id === id)
    roles.set(id, { id, name: isClear ? role.name : qualifiedName(workspace, role), places: own })
  }
  const index = { roles, places: byName }
  indexes.set(declared, index)
  return index
}

/** Returns the name of something that a workspace declares, with the name of the workspace before it. */
export function qualifiedName({ name: workspace }: DeclaredName, { name }: DeclaredName): string {
  return `${workspace}/${name}`
}
