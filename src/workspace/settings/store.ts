import { takeIds } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { getVersion, lockVersion, raiseVersion, versionProbe } from '../../base/db/versions.ts'
import type { DoubleOptIn } from './double-opt-in.ts'
import type { SettingsGiven } from './settings.ts'

export type WorkspaceRow = { workspace_id: number; id: string; name: string; settings: SettingsGiven }
export type WorkspaceApp = { id: string; name: string; platform: string }
export type SubscriptionGroup = {
  id: string
  name: string
  channel: 'email' | 'sms'
  archived: boolean
  /** How people confirm that they want to be in it; absent when it was never set. */
  double_opt_in?: DoubleOptIn
}
export type AppRow = WorkspaceApp & { workspace_id: number }
export type GroupRow = Omit<SubscriptionGroup, 'double_opt_in'> & {
  workspace_id: number
  group_id: number
  double_opt_in: DoubleOptIn | null
}

/** Locks the configuration of all workspaces until the end of the transaction: its writers run one after the other. */
export function lockConfig(tx: Tx): Promise<void> {
  return lockVersion(tx, 'workspace')
}

export function getConfigVersion(tx: Tx): Promise<number> {
  return getVersion(tx, 'workspace')
}

/** Has a row when the configuration has another version. */
export function configVersionProbe(version: number): Sql {
  return versionProbe('workspace', version)
}

/** Tells the caches of all processes that the configuration has changed. Returns the new version. */
export function raiseConfigVersion(tx: Tx): Promise<number> {
  return raiseVersion(tx, 'workspace')
}

/** Oldest first; the first is the default workspace. */
export function listWorkspaces(tx: Tx): Promise<WorkspaceRow[]> {
  return tx.query<WorkspaceRow>(sql`select workspace_id, id, name, settings from workspace order by workspace_id`)
}

export async function insertWorkspace(tx: Tx, id: string, name: string, at: Date): Promise<number> {
  const workspace_id = await takeIds(tx, 'workspace', 1)
  await tx.query(sql`
    insert into workspace (workspace_id, id, name, created_at)
    values (${workspace_id}, ${id}, ${name}, ${at.toISOString()})`)
  return workspace_id
}

export async function updateWorkspace(
  tx: Tx,
  workspace_id: number,
  name: string,
  settings: SettingsGiven,
): Promise<void> {
  await tx.query(sql`
    update workspace set name = ${name}, settings = ${JSON.stringify(settings)}::jsonb where workspace_id = ${workspace_id}`)
}

export function listAllApps(tx: Tx): Promise<AppRow[]> {
  return tx.query<AppRow>(sql`select workspace_id, id, name, platform from app order by created_at, name`)
}

export function listApps(tx: Tx, workspace_id: number): Promise<WorkspaceApp[]> {
  return tx.query<WorkspaceApp>(sql`
    select id, name, platform from app where workspace_id = ${workspace_id} order by created_at, name`)
}

export async function insertApps(tx: Tx, workspace_id: number, apps: readonly WorkspaceApp[], at: Date): Promise<void> {
  await tx.query(sql`
    insert into app (workspace_id, id, name, platform, created_at)
    select ${workspace_id}::int, id, name, platform, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(apps)}::jsonb) as given (id text, name text, platform text)`)
}

export async function updateApps(tx: Tx, workspace_id: number, apps: readonly WorkspaceApp[]): Promise<void> {
  await tx.query(sql`
    update app set name = given.name, platform = given.platform
    from jsonb_to_recordset(${JSON.stringify(apps)}::jsonb) as given (id text, name text, platform text)
    where app.workspace_id = ${workspace_id} and app.id = given.id`)
}

export async function deleteApp(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const gone = await tx.query(sql`delete from app where workspace_id = ${workspace_id} and id = ${id} returning id`)
  return gone.length > 0
}

export function listAllGroups(tx: Tx): Promise<GroupRow[]> {
  return tx.query<GroupRow>(sql`
    select workspace_id, group_id, id, name, channel, archived, double_opt_in from subscription_group order by group_id`)
}

export async function listGroups(tx: Tx, workspace_id: number): Promise<SubscriptionGroup[]> {
  const rows = await tx.query<Omit<GroupRow, 'workspace_id' | 'group_id'>>(sql`
    select id, name, channel, archived, double_opt_in from subscription_group
    where workspace_id = ${workspace_id} order by group_id`)
  return rows.map(({ double_opt_in, ...group }) => ({ ...group, ...(double_opt_in && { double_opt_in }) }))
}

export async function insertGroups(
  tx: Tx,
  workspace_id: number,
  groups: readonly SubscriptionGroup[],
  at: Date,
): Promise<void> {
  const first = await takeIds(tx, 'subscription_group', groups.length)
  const rows = groups.map((group, i) => ({ ...group, group_id: first + i }))
  await tx.query(sql`
    insert into subscription_group (group_id, workspace_id, id, name, channel, archived, double_opt_in, created_at)
    select group_id, ${workspace_id}::int, id, name, channel, archived, double_opt_in, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (group_id int, id text, name text, channel text, archived boolean, double_opt_in jsonb)`)
}

export async function updateGroups(tx: Tx, workspace_id: number, groups: readonly SubscriptionGroup[]): Promise<void> {
  const given = JSON.stringify(groups)
  await freeNames(tx, 'subscription_group', workspace_id, given)
  await tx.query(sql`
    update subscription_group as stored set name = given.name, archived = given.archived, double_opt_in = given.double_opt_in
    from jsonb_to_recordset(${given}::jsonb) as given (id text, name text, archived boolean, double_opt_in jsonb)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

export async function archiveGroup(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  const archived = await tx.query(sql`
    update subscription_group set archived = true where workspace_id = ${workspace_id} and id = ${id} returning id`)
  return archived.length > 0
}
