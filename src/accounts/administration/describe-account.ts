import type { Actor } from '../../base/call.ts'
import type { Account } from '../accounts/account.ts'
import type { AccountState } from '../accounts/account-search-store.ts'
import { isAdministrator } from '../accounts/accounts.ts'
import { mailboxOf } from '../accounts/address.ts'
import type { Declared, DeclaredWorkspace } from '../permissions/declared.ts'
import { allowedBy } from '../permissions/permission-words.ts'
import { describePermissions, type WorkspacePermissions } from '../permissions/permissions.ts'
import { findRole } from '../permissions/role-names.ts'
import type { AccountReply } from './schema.ts'

/** Returns an account as lists show it. Pure. */
export function describeListed(account: Account, declared: Declared) {
  const { account_id: id, user_name, given_name, family_name, department, last_sign_in_at, created_at } = account
  return {
    ...{ id, user_name, given_name, family_name, department },
    state: stateOf(account),
    is_administrator: isAdministrator(account),
    sentence: holdingSentence(account, declared),
    last_sign_in_at: last_sign_in_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  }
}

/** Returns an account with what it may do in each workspace, and what gives it that. Pure. */
export function describeOne(account: Account, declared: Declared, actor: Actor): AccountReply {
  const { display_name, external_id, updated_at, permissions, emails, user_name } = account
  const primary_email = emails.find(({ primary }) => primary)?.value ?? null
  return {
    ...describeListed(account, declared),
    display_name,
    mail_to: mailboxOf({ primary_email, user_name }),
    is_provisioned: external_id !== null,
    is_own: actor.kind === 'account' && actor.id === account.account_id,
    updated_at: updated_at.toISOString(),
    permissions: describePermissions(permissions, declared),
    allows: allowedBy(permissions.company, 'company'),
    workspaces: declared.workspaces.flatMap((workspace) => describeWorkspace(account, workspace)),
  }
}

export function stateOf({ active, last_sign_in_at }: Account): AccountState {
  if (!active) return 'disabled'
  return last_sign_in_at === null ? 'invited' : 'active'
}

function describeWorkspace({ permissions }: Account, workspace: DeclaredWorkspace): AccountReply['workspaces'] {
  const own = permissions.workspaces.find(({ id }) => id === workspace.id)
  const sources = sourcesOf(own, permissions.roles, workspace)
  if (own === undefined && sources.length === 0) return []
  const { id, name } = workspace
  const all = sources.flatMap((source) => source.permissions)
  const teams = (own?.teams ?? []).flatMap((held) => {
    const team = workspace.teams.find((each) => each.id === held.id)
    return team ? [{ ...team, permissions: [...held.permissions] }] : []
  })
  return [{ id, name, allows: allowedBy(all, 'workspace'), sources, teams }]
}

type Source = AccountReply['workspaces'][number]['sources'][number]

function sourcesOf(
  own: WorkspacePermissions | undefined,
  roles: readonly string[],
  workspace: DeclaredWorkspace,
): Source[] {
  const given = own?.permissions ?? []
  const bundles = [
    ...workspace.roles.filter(({ id }) => roles.includes(id)).map((role) => ({ kind: 'role' as const, ...role })),
    ...workspace.sets
      .filter(({ id }) => own?.sets.includes(id))
      .map((set) => ({ kind: 'permission_set' as const, ...set })),
  ]
  return [
    ...(given.length > 0 ? [{ kind: 'permissions' as const, id: null, name: null, permissions: [...given] }] : []),
    ...bundles.map(({ kind, id, name, permissions }) => ({ kind, id, name, permissions: [...permissions] })),
  ]
}

/** Returns what an account has, in one sentence. Pure. */
export function holdingSentence({ permissions }: Account, declared: Declared): string {
  const { company, roles, workspaces } = permissions
  if (company.includes('admin')) return 'May do everything.'
  const parts = [
    ...company,
    ...roles.flatMap((id) => findRole(id, declared)?.name ?? []),
    ...workspaces.flatMap((held) => {
      const workspace = declared.workspaces.find(({ id }) => id === held.id)
      return workspace ? workspaceParts(held, workspace) : []
    }),
  ]
  return parts.length === 0 ? 'May do nothing.' : `${parts.join(', ')}.`
}

function workspaceParts({ permissions, sets }: WorkspacePermissions, workspace: DeclaredWorkspace): string[] {
  if (permissions.includes('admin')) return [`everything in ${workspace.name}`]
  const names = workspace.sets.filter(({ id }) => sets.includes(id)).map(({ name }) => name)
  const count = permissions.length
  const own = count === 0 ? [] : [`${count === 1 ? '1 permission' : `${count} permissions`} in ${workspace.name}`]
  return [...names, ...own]
}
