import { type KeyRow, listAllKeys, updateLastUsed } from '../../accounts/keys/key-store.ts'
import { listScimTokens, type ScimTokenRow, updateScimUsed } from '../../accounts/keys/token-store.ts'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { everyPermission, permissions } from '../../base/http/permissions.ts'
import { sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { startJobs } from '../../base/work/jobs.ts'
import { getInstallation } from './installation-store.ts'
import { completeSettings, type Settings } from './settings.ts'
import {
  type AppRow,
  type GroupRow,
  getVersion,
  listAllApps,
  listAllGroups,
  listWorkspaces,
  type WorkspaceRow,
} from './store.ts'

const pollMs = 500
const lastUsedMs = 60_000

/** A workspace as every request sees it. */
export type Workspace = {
  readonly workspace_id: number
  readonly id: string
  readonly name: string
  readonly settings: Settings
  readonly apps: ReadonlyMap<string, AppRow>
  readonly groups: ReadonlyMap<string, GroupRow>
  readonly appIds: ReadonlySet<string>
  readonly reservedExternalIds: ReadonlySet<string>
}

export type ApiKey = {
  readonly id: string
  readonly workspace_id: number
  readonly name: string
  /** `*` is spelled out. */
  readonly permissions: ReadonlySet<string>
  readonly allowed_ips: readonly string[]
}

/** What an identity provider comes in with. */
export type ScimToken = Pick<ScimTokenRow, 'id' | 'name' | 'origin' | 'allowed_ips'>

/** This process's copy of workspaces, keys and settings: read without waiting, at most half a second behind the database. */
export type Workspaces = {
  get(workspace_id: number): Workspace
  find(id: string): Workspace | undefined
  default(): Workspace
  /** Oldest first. */
  all(): Workspace[]
  all(): readonly Workspace[]
  findKey(token: string): ApiKey | undefined
  findScimToken(token: string): ScimToken | undefined
  isAdmin(token: string): boolean
  /** Somebody has read this number in `version('workspace')`: newer than the copy, it is fetched now. */
  noticed(number: number): void
  /** Ends when the copy is at least as new as the database was at the call. */
  refresh(): Promise<void>
  /** Stops polling and writes what is known of the keys' last use. */
  close(): Promise<void>
}

type Copy = {
  readonly number: number
  readonly workspaces: ReadonlyMap<number, Workspace>
  readonly first: Workspace
  readonly keys: ReadonlyMap<string, ApiKey>
  readonly scimTokens: ReadonlyMap<string, ScimToken>
  readonly adminHash: string | undefined
}

/** Loads the copy, then polls. While the database is away the last copy stays in use. */
export async function openWorkspaces(db: Db, clock: Clock, log: Log): Promise<Workspaces> {
  let copy = await loadCopy(db)
  let waiting: Promise<void> = Promise.resolve()

  async function fetchNewer(): Promise<void> {
    if ((await getVersion(db)) !== copy.number) copy = await loadCopy(db)
  }
  function refresh(): Promise<void> {
    waiting = waiting.then(fetchNewer, fetchNewer)
    return waiting
  }

  const uses = openUses(clock, (used) => updateLastUsed(db, used))
  const scimUses = openUses(clock, (used) => updateScimUsed(db, used))
  const writeUses = async () => {
    await uses.write()
    await scimUses.write()
  }
  const polling = { name: 'workspace.refresh', everyMs: pollMs, run: refresh }
  const noting = { name: 'workspace.noteKeyUse', everyMs: lastUsedMs, run: writeUses }
  const tasks = startJobs([polling, noting], log)
  return {
    get: (workspace_id) => copy.workspaces.get(workspace_id) ?? missing(workspace_id),
    find: (id) => copy.workspaces.values().find((workspace) => workspace.id === id),
    default: () => copy.first,
    all: () => [...copy.workspaces.values()],
    findKey(token) {
      const key = copy.keys.get(digest(token))
      if (key) uses.note(key.id)
      return key
    },
    findScimToken(token) {
      const found = copy.scimTokens.get(digest(token))
      if (found) scimUses.note(found.id)
      return found
    },
    isAdmin: (token) => digest(token) === copy.adminHash,
    noticed(number) {
      // A failure is the next poll's to tell.
      if (number > copy.number) void Promise.allSettled([refresh()])
    },
    refresh,
    async close() {
      await tasks.close()
      // A stop while the database is away is still an orderly one: what is lost is when keys were last used.
      await Promise.allSettled([writeUses()])
    },
  }
}

// Tokens are compared as hashes: how long that takes says nothing about the text of a key.
function digest(token: string): string {
  return sha256(token).toString('latin1')
}

function missing(workspace_id: number): never {
  throw new Error(`workspace ${workspace_id} is not in the copy`)
}

/** The version is read first: whatever else is read is at least as new, and a change in between is fetched by the next poll. */
async function loadCopy(db: Db): Promise<Copy> {
  const number = await getVersion(db)
  const rows = await listWorkspaces(db)
  const apps = Map.groupBy(await listAllApps(db), (app) => app.workspace_id)
  const groups = Map.groupBy(await listAllGroups(db), (group) => group.workspace_id)
  const keys = await listAllKeys(db)
  const scimTokens = await listScimTokens(db)
  const { admin_token_hash } = await getInstallation(db)
  const workspaces = rows.map((row) =>
    workspaceOf(row, apps.get(row.workspace_id) ?? [], groups.get(row.workspace_id) ?? []),
  )
  return {
    number,
    workspaces: new Map(workspaces.map((workspace) => [workspace.workspace_id, workspace])),
    first: workspaces[0] ?? missing(0),
    keys: new Map(keys.map((key) => [key.key_hash.toString('latin1'), keyOf(key)])),
    scimTokens: new Map(scimTokens.map((token) => [token.token_hash.toString('latin1'), token])),
    adminHash: admin_token_hash?.toString('latin1'),
  }
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
  }
}

function keyOf({ id, workspace_id, name, permissions: held, allowed_ips }: KeyRow): ApiKey {
  return {
    id,
    workspace_id,
    name,
    permissions: new Set(held.includes(everyPermission) ? permissions : held),
    allowed_ips,
  }
}

type Uses = readonly { readonly id: string; readonly at: string }[]

/** When keys were last used: noted in memory, written together. */
function openUses(clock: Clock, update: (uses: Uses) => Promise<void>) {
  const noted = new Map<string, number>()
  return {
    note: (id: string) => noted.set(id, clock.now()),
    async write(): Promise<void> {
      if (noted.size === 0) return
      const taken = [...noted]
      await update(taken.map(([id, ms]) => ({ id, at: new Date(ms).toISOString() })))
      for (const [id, ms] of taken) if (noted.get(id) === ms) noted.delete(id)
    },
  }
}
