import type { Db } from '../../base/db/db.ts'
import type { ConfigCache } from './config-cache.ts'
import { completeSettings, type Settings } from './settings.ts'
import { type AppRow, type GroupRow, listAllApps, listAllGroups, listWorkspaces, type WorkspaceRow } from './store.ts'

/** A workspace with its apps, groups and the settings in effect. */
export type Workspace = {
  readonly workspace_id: number
  readonly id: string
  readonly name: string
  readonly settings: Settings
  readonly apps: ReadonlyMap<string, AppRow>
  readonly groups: ReadonlyMap<string, GroupRow>
  readonly appIds: ReadonlySet<string>
  readonly reservedExternalIds: ReadonlySet<string>
  /** Names of custom attributes that are not stored. */
  readonly blockedAttributes: ReadonlySet<string>
}

/** All workspaces, from memory. */
export type Workspaces = {
  /** Throws when there is no such workspace. */
  get(workspace_id: number): Workspace
  find(id: string): Workspace | undefined
  default(): Workspace
  /** Oldest first. */
  all(): readonly Workspace[]
}

export async function openWorkspaces(cache: Pick<ConfigCache, 'keep'>): Promise<Workspaces> {
  const cached = await cache.keep(loadWorkspaces)
  return {
    get: (workspace_id) => cached.current.byId.get(workspace_id) ?? missing(workspace_id),
    find: (id) => cached.current.byId.values().find((workspace) => workspace.id === id),
    default: () => cached.current.first,
    all: () => [...cached.current.byId.values()],
  }
}

async function loadWorkspaces(db: Db): Promise<{ byId: ReadonlyMap<number, Workspace>; first: Workspace }> {
  const rows = await listWorkspaces(db)
  const apps = Map.groupBy(await listAllApps(db), (app) => app.workspace_id)
  const groups = Map.groupBy(await listAllGroups(db), (group) => group.workspace_id)
  const workspaces = rows.map((row) =>
    workspaceOf(row, apps.get(row.workspace_id) ?? [], groups.get(row.workspace_id) ?? []),
  )
  return {
    byId: new Map(workspaces.map((workspace) => [workspace.workspace_id, workspace])),
    first: workspaces[0] ?? missing(0),
  }
}

function missing(workspace_id: number): never {
  throw new Error(`workspace ${workspace_id} is not in the cache`)
}

function workspaceOf(row: WorkspaceRow, apps: readonly AppRow[], groups: readonly GroupRow[]): Workspace {
  const settings = completeSettings(row.settings)
  return {
    workspace_id: row.workspace_id,
    id: row.id,
    name: row.name,
    settings,
    apps: new Map(apps.map((app) => [app.id, app])),
    groups: new Map(groups.map((group) => [group.id, group])),
    appIds: new Set(apps.map((app) => app.id)),
    reservedExternalIds: new Set(settings.reserved_external_ids),
    blockedAttributes: new Set(settings.attribute_blocklist),
  }
}
