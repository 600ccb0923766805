/** What an account is given, in the form in which the interface takes it: by ids alone. */
export type GivenAccess = {
  readonly companyPermissions: readonly string[]
  readonly roles: readonly { readonly roleId: string }[]
  readonly appGroup: readonly GivenWorkspace[]
}

export type GivenWorkspace = {
  readonly appGroupId: string
  readonly appGroupPermissions: readonly string[]
  readonly appGroupPermissionSets: readonly { readonly appGroupPermissionSetId: string }[]
  readonly team: readonly { readonly teamId: string; readonly teamPermissions: readonly string[] }[]
}

export const noAccess: GivenAccess = { companyPermissions: [], roles: [], appGroup: [] }

/** Returns the permissions of an answer without what only answers have. */
export function toGiven(permissions: object): GivenAccess {
  const { companyPermissions = [], roles = [], appGroup = [] } = permissions as Partial<GivenAccess>
  return {
    companyPermissions,
    roles: roles.map(({ roleId }) => ({ roleId })),
    appGroup: appGroup.map(({ appGroupId, appGroupPermissions, appGroupPermissionSets = [], team = [] }) => ({
      appGroupId,
      appGroupPermissions,
      appGroupPermissionSets: appGroupPermissionSets.map(({ appGroupPermissionSetId }) => ({
        appGroupPermissionSetId,
      })),
      team: team.map(({ teamId, teamPermissions }) => ({ teamId, teamPermissions })),
    })),
  }
}

/** Returns what is given in a workspace; nothing when the account does not belong to it. */
export function givenIn({ appGroup }: GivenAccess, id: string): GivenWorkspace {
  const nothing = { appGroupId: id, appGroupPermissions: [], appGroupPermissionSets: [], team: [] }
  return appGroup.find(({ appGroupId }) => appGroupId === id) ?? nothing
}

/** Whether an account belongs to a workspace, even when it may do nothing there. */
export function belongsTo({ appGroup }: GivenAccess, id: string): boolean {
  return appGroup.some(({ appGroupId }) => appGroupId === id)
}

/** Returns the access with other permissions in one workspace. */
export function withWorkspace(given: GivenAccess, workspace: GivenWorkspace): GivenAccess {
  const isKnown = belongsTo(given, workspace.appGroupId)
  const appGroup = isKnown
    ? given.appGroup.map((each) => (each.appGroupId === workspace.appGroupId ? workspace : each))
    : [...given.appGroup, workspace]
  return { ...given, appGroup }
}

export function withoutWorkspace(given: GivenAccess, id: string): GivenAccess {
  return { ...given, appGroup: given.appGroup.filter(({ appGroupId }) => appGroupId !== id) }
}

export function withRole(given: GivenAccess, roleId: string, isHeld: boolean): GivenAccess {
  const others = given.roles.filter((each) => each.roleId !== roleId)
  return { ...given, roles: isHeld ? [...others, { roleId }] : others }
}
