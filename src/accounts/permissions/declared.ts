export type DeclaredName = { readonly id: string; readonly name: string }

/** A role or a permission set: a named list of workspace permissions. */
export type PermissionBundle = DeclaredName & { readonly permissions: readonly string[] }

/** The teams, roles and permission sets that a workspace declares. */
export type DeclaredWorkspace = DeclaredName & {
  readonly workspace_id: number
  readonly teams: readonly DeclaredName[]
  readonly roles: readonly PermissionBundle[]
  readonly sets: readonly PermissionBundle[]
}

/** The declarations to which permissions of accounts may refer. The first workspace is the default one. */
export type Declared = {
  readonly workspaces: readonly DeclaredWorkspace[]
  /** `settings.scim.unknown_permissions: keep` of the default workspace. */
  readonly keepsUnknown: boolean
  /** `settings.departments` of the default workspace. */
  readonly departments: readonly string[]
  /** `settings.scim.unknown_departments` of the default workspace: what happens to an unknown department of the enterprise schema. */
  readonly unknownDepartments: 'keep' | 'default' | 'refuse'
  /** `settings.scim.default_role` of the default workspace: the name or id of the role of accounts that come without permissions. */
  readonly defaultRole: string | undefined
  /** `settings.default_department` of the default workspace. */
  readonly defaultDepartment: string | undefined
}
