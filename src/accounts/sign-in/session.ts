import type { Call } from '../../base/call.ts'
import { type Ability, abilities, scopeOf } from '../../base/http/abilities.ts'
import type { Request } from '../../base/http/route.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { getAccount } from '../accounts/accounts.ts'
import { can, type Grants } from '../permissions/abilities.ts'
import type { Declared } from '../permissions/declared.ts'
import { readDeclared } from '../permissions/declared-store.ts'
import { describePermissions } from '../permissions/permissions.ts'
import type { SessionAccess } from './session-access.ts'

export type SessionServices = { readonly sessionAccess: SessionAccess; readonly workspaces: Workspaces }

const ofWorkspace = abilities.filter((ability) => scopeOf(ability) === 'workspace')
const outsideWorkspaces = abilities.filter((ability) => scopeOf(ability) !== 'workspace')

/** Returns the account of the request with its abilities, which a dashboard needs before it shows anything. */
export async function readSession(
  { db, actor }: Call,
  { headers }: Request,
  { sessionAccess, workspaces }: SessionServices,
): Promise<object> {
  const declared = await readDeclared(db)
  const zoneOf = (id: string) => workspaces.find(id)?.settings.time_zone ?? 'UTC'
  if (actor.kind !== 'account')
    return { account: null, csrf_token: null, ...describeGrants(undefined, declared, zoneOf) }
  const account = await getAccount(db, actor.id)
  const { account_id: id, user_name, given_name, family_name, department, last_sign_in_at, permissions } = account
  return {
    account: {
      ...{ id, user_name, given_name, family_name, department },
      last_sign_in_at: last_sign_in_at?.toISOString() ?? null,
      permissions: describePermissions(permissions, declared),
    },
    csrf_token: (await sessionAccess.find(headers.cookie ?? ''))?.csrf ?? null,
    ...describeGrants(await sessionAccess.grantsOf(id), declared, zoneOf),
  }
}

/** `grants` is undefined for the admin token, which may do everything. */
function describeGrants(grants: Grants | undefined, { workspaces }: Declared, zoneOf: (id: string) => string) {
  const may = (ability: Ability, workspace_id?: number) => grants === undefined || can(grants, ability, workspace_id)
  return {
    abilities: outsideWorkspaces.filter((ability) => may(ability)),
    workspaces: workspaces
      .map(({ workspace_id, id, name }) => ({
        ...{ workspace_id, id, name },
        abilities: ofWorkspace.filter((ability) => may(ability, workspace_id)),
      }))
      .filter(({ workspace_id, abilities: held }) => held.length > 0 || grants?.workspaces.has(workspace_id))
      .map(({ id, name, abilities: held }) => ({ id, name, time_zone: zoneOf(id), abilities: held })),
  }
}
