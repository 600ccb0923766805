import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { shareVersion } from '../../base/db/versions.ts'
import { completeSettings, type SettingsGiven } from '../../workspace/settings/settings.ts'
import type { Declared, DeclaredName, DeclaredWorkspace, PermissionBundle } from './declared.ts'

type DeclaredRow = DeclaredWorkspace & { settings: SettingsGiven }

/** Reads the declarations of all workspaces in one statement. */
export async function readDeclared(tx: Tx): Promise<Declared> {
  const rows = await tx.query<DeclaredRow>(sql`
    select w.workspace_id, w.id, w.name, w.settings,
      ${aggregated('team', sql`jsonb_build_object('id', t.id, 'name', t.name)`)} as teams,
      ${aggregated('role', bundle)} as roles,
      ${aggregated('permission_set', bundle)} as sets
    from workspace w order by w.workspace_id`)
  const settings = completeSettings(rows[0]?.settings ?? {})
  return {
    workspaces: rows.map(({ settings: _, ...workspace }) => workspace),
    keepsUnknown: settings.scim.unknown_permissions === 'keep',
    departments: settings.departments,
    unknownDepartments: settings.scim.unknown_departments,
    defaultRole: settings.scim.default_role,
    defaultDepartment: settings.default_department,
  }
}

/** Locks the declarations against changes until this transaction ends. */
export async function shareDeclared(tx: Tx): Promise<void> {
  await shareVersion(tx, 'workspace')
}

const bundle = sql`jsonb_build_object('id', t.id, 'name', t.name, 'permissions', t.permissions)`

function aggregated(table: 'team' | 'role' | 'permission_set', entry: Sql): Sql {
  return sql`(select coalesce(jsonb_agg(${entry} order by t.created_at, t.name collate "C"), '[]'::jsonb)
    from ${raw(table)} t where t.workspace_id = w.workspace_id)`
}

export function listTeams(tx: Tx, workspace_id: number): Promise<DeclaredName[]> {
  return tx.query<DeclaredName>(sql`
    select id, name from team where workspace_id = ${workspace_id} order by created_at, name collate "C"`)
}

export async function insertTeams(
  tx: Tx,
  workspace_id: number,
  teams: readonly DeclaredName[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into team (workspace_id, id, name, created_at)
    select ${workspace_id}::int, id, name, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(teams)}::jsonb) as given (id text, name text)`)
}

export async function updateTeams(tx: Tx, workspace_id: number, teams: readonly DeclaredName[]): Promise<void> {
  await tx.query(sql`
    update team set name = given.name
    from jsonb_to_recordset(${JSON.stringify(teams)}::jsonb) as given (id text, name text)
    where team.workspace_id = ${workspace_id} and team.id = given.id`)
}

export type BundleTable = 'role' | 'permission_set'

export function listBundles(tx: Tx, table: BundleTable, workspace_id: number): Promise<PermissionBundle[]> {
  return tx.query<PermissionBundle>(sql`
    select id, name, permissions from ${raw(table)} where workspace_id = ${workspace_id}
    order by created_at, name collate "C"`)
}

export async function insertBundles(
  tx: Tx,
  table: BundleTable,
  workspace_id: number,
  bundles: readonly PermissionBundle[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into ${raw(table)} (workspace_id, id, name, permissions, created_at)
    select ${workspace_id}::int, id, name, permissions, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(bundles)}::jsonb) as given (id text, name text, permissions jsonb)`)
}

export async function updateBundles(
  tx: Tx,
  table: BundleTable,
  workspace_id: number,
  bundles: readonly PermissionBundle[],
): Promise<void> {
  await tx.query(sql`
    update ${raw(table)} as stored set name = given.name, permissions = given.permissions
    from jsonb_to_recordset(${JSON.stringify(bundles)}::jsonb) as given (id text, name text, permissions jsonb)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function deleteDeclared(
  tx: Tx,
  table: BundleTable | 'team',
  workspace_id: number,
  id: string,
): Promise<boolean> {
  const gone = await tx.query(sql`
    delete from ${raw(table)} where workspace_id = ${workspace_id} and id = ${id} returning id`)
  return gone.length > 0
}

/** Counts the workspaces that declare a role with this id. */
export async function countRoles(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`select count(*)::int as count from role where id = ${id}`)
  return row!.count
}

/** Returns the public id of a workspace. */
export async function getWorkspaceId(tx: Tx, workspace_id: number): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`select id from workspace where workspace_id = ${workspace_id}`)
  return row!.id
}
