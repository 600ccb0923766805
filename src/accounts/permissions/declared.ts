export type DeclaredName = { readonly id: string; readonly name: string }

/** A role or a permission set: names of workspace permissions under a name. */
export type PermissionBundle = DeclaredName & { readonly permissions: readonly string[] }

/** What a workspace file declares for permissions of accounts. */
export type DeclaredWorkspace = DeclaredName & {
  readonly workspace_id: number
  readonly teams: readonly DeclaredName[]
  readonly roles: readonly PermissionBundle[]
  readonly sets: readonly PermissionBundle[]
}

/** What permissions are resolved against, over all workspaces; the first one is the default. */
export type Declared = {
  readonly workspaces: readonly DeclaredWorkspace[]
  /** `settings.scim.unknown_permissions: keep` of the default workspace. */
  readonly keepsUnknown: boolean
  /** `settings.departments` of the default workspace. */
  readonly departments: readonly string[]
  /** `settings.default_department` of the default workspace. */
  readonly defaultDepartment: string | undefined
}
