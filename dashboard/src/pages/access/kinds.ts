import {
  deleteAdminPermissionSetsId,
  deleteAdminRolesId,
  getAdminPermissionSets,
  getAdminPermissionSetsId,
  getAdminRoles,
  getAdminRolesId,
  patchAdminPermissionSetsId,
  patchAdminRolesId,
  postAdminPermissionSets,
  postAdminRoles,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import { paths } from '../../paths.ts'

/** A role or a permission set: permissions with a name. */
export type Bundle = { readonly id: string; readonly name: string; readonly permissions: readonly string[] }
type Change = { readonly name: string; readonly permissions: readonly string[] }
type Place = { readonly workspace: string }

/** The two kinds of named permissions, with their requests and words. */
export type BundleKind = {
  readonly one: string
  readonly title: string
  readonly noun: 'roles' | 'permission_sets'
  readonly about: string
  readonly list: (place: Place) => Operation<unknown>
  readonly listed: (reply: unknown) => readonly Bundle[]
  readonly read: (id: string, place: Place) => Operation<unknown>
  readonly found: (reply: unknown) => Bundle
  readonly make: (body: Change, place: Place) => Operation<unknown>
  readonly change: (id: string, body: Change, place: Place) => Operation<unknown>
  readonly end: (id: string, place: Place) => Operation<unknown>
  readonly path: (workspace: string, id: string) => string
  /** The query that lists the accounts that have it. */
  readonly holders: (id: string, workspace: string) => Readonly<Record<string, string>>
}

export const roles: BundleKind = {
  one: 'role',
  title: 'Roles',
  noun: 'roles',
  about: 'A role is a name for permissions, such as Editor. What changes here changes for every account that has it.',
  list: getAdminRoles,
  listed: (reply) => (reply as { roles: readonly Bundle[] }).roles,
  read: getAdminRolesId,
  found: (reply) => (reply as { role: Bundle }).role,
  make: postAdminRoles,
  change: patchAdminRolesId,
  end: deleteAdminRolesId,
  path: paths.role,
  holders: (id) => ({ role: id }),
}

export const permissionSets: BundleKind = {
  one: 'permission set',
  title: 'Permission sets',
  noun: 'permission_sets',
  about: 'A permission set is given to an account in this workspace, beside its roles.',
  list: getAdminPermissionSets,
  listed: (reply) => (reply as { permission_sets: readonly Bundle[] }).permission_sets,
  read: getAdminPermissionSetsId,
  found: (reply) => (reply as { permission_set: Bundle }).permission_set,
  make: postAdminPermissionSets,
  change: patchAdminPermissionSetsId,
  end: deleteAdminPermissionSetsId,
  path: paths.permissionSet,
  holders: (id, workspace) => ({ permission_set: id, workspace }),
}
