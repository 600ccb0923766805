import type { Tx } from '../../base/db/db.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { PermissionBundle } from '../permissions/declared.ts'
import {
  type BundleTable,
  countRoles,
  deleteDeclared,
  getWorkspaceId,
  insertBundles,
  listBundles,
  updateBundles,
} from '../permissions/declared-store.ts'
import { isPermissionName } from '../permissions/permission-names.ts'
import { BundleShape, bundlesMax } from '../permissions/schema.ts'
import { refuseWhileHeld } from './refuse-held.ts'

/** `roles`: named lists of workspace permissions. Roles of two workspaces with the same id are one role that counts in both. */
export const rolesSection = sectionFor('role', 'roles', 'Delete a role that no account has.', async (tx, _, id) => {
  if ((await countRoles(tx, id)) === 1) await refuseWhileHeld(tx, 'role', { roles: [id] })
})

/** `permission_sets`: named lists of workspace permissions that an account may be given in this workspace. */
export const permissionSetsSection = sectionFor(
  'permission_set',
  'permission_sets',
  'Delete a permission set that no account has.',
  async (tx, workspace_id, id) => {
    const workspace = await getWorkspaceId(tx, workspace_id)
    await refuseWhileHeld(tx, 'permission set', { workspaces: [{ id: workspace, sets: [id] }] })
  },
)

type Check = (tx: Tx, workspace_id: number, id: string) => Promise<void>

function sectionFor(table: BundleTable, name: string, ending: string, check: Check): ConfigSection<PermissionBundle> {
  return {
    name,
    path: name,
    one: table,
    shape: BundleShape,
    countMax: bundlesMax,
    counts: () => true,
    list: (tx, workspace_id) => listBundles(tx, table, workspace_id),
    resolve: resolveBundle,
    toReply: (bundle) => ({ ...bundle }),
    async insert(tx, workspace_id, bundles, at) {
      await insertBundles(tx, table, workspace_id, bundles, at)
      return []
    },
    update: (tx, workspace_id, bundles) => updateBundles(tx, table, workspace_id, bundles),
    endSummary: ending,
    async end(tx, workspace_id, id) {
      await check(tx, workspace_id, id)
      return deleteDeclared(tx, table, workspace_id, id)
    },
  }
}

function resolveBundle(
  given: GivenEntry & { readonly id: string },
  before: PermissionBundle | undefined,
  { scim }: Settings,
): EntryResolution<PermissionBundle> {
  const { id, name } = given
  const permissions = given.permissions as string[]
  const unknown = permissions.findIndex(
    (each) => !isPermissionName('workspace', each) && !before?.permissions.includes(each),
  )
  if (unknown >= 0 && scim.unknown_permissions !== 'keep') {
    const message = `must be a workspace permission such as basic_access, not ${JSON.stringify(permissions[unknown])}`
    return { mistake: { path: `permissions[${unknown}]`, message } }
  }
  return { entry: { id, name, permissions } }
}
