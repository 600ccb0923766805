import type { Db, Tx } from '../../base/db/db.ts'
import { conflict, Failure, invalid, notFound } from '../../base/errors.ts'
import { continueIdsAt, type IdPosition, idPosition } from '../../base/ids.ts'
import { getWorkspace } from '../../workspace/settings/selected.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import { listWorkspaces, updateWorkspace } from '../../workspace/settings/store.ts'
import { foldTallies } from '../../workspace/tallies/keep-tallies.ts'
import { type Copy, createCopy, dropCopy, listFilledTables, restoreAll, restoreScope } from './copy-store.ts'
import { snapshotBytesMax, snapshotNamePattern, snapshotsMax } from './schema.ts'
import { workspaceScopes } from './workspace-scope.ts'

/** The rows of everything, or of one workspace, at one instant. `workspace` is its public id. */
export type Snapshot = {
  readonly name: string
  readonly workspace: string | undefined
  readonly at: string
  readonly copy: Copy
  /** Only with a seed. */
  readonly ids: IdPosition | undefined
}

/** What a workspace keeps when it is reset and was not there at the start. */
const keptTables: ReadonlySet<string> = new Set(['workspace', 'api_key'])

/** The snapshots of an emulator. They are in its database, each in a schema of its own. */
export class Snapshots {
  readonly #db: Db
  readonly #all = new Map<string, Snapshot>()
  #beginning: Pick<Snapshot, 'copy' | 'ids'> | undefined
  /** The beginning of each workspace that there was, by its number. */
  #beginningOf: ReadonlyMap<number, Copy> = new Map()
  #count = 0

  constructor(db: Db) {
    this.#db = db
  }

  list(): readonly Snapshot[] {
    return [...this.#all.values()]
  }

  /** Copies everything as it is now: what a reset returns to. */
  async saveBeginning(): Promise<void> {
    await this.#foldTallies()
    await this.#db.transaction(async (tx) => {
      const tables = await listFilledTables(tx)
      this.#beginning = { copy: await createCopy(tx, 'emulator_beginning', tables), ids: idPosition() }
      const workspaces = await listWorkspaces(tx)
      const copies: [number, Copy][] = []
      for (const { workspace_id } of workspaces)
        copies.push([workspace_id, await createScopedCopy(tx, `emulator_beginning_${workspace_id}`, workspace_id)])
      this.#beginningOf = new Map(copies)
    })
  }

  /** Saves everything, or a workspace. Throws 400, 404, 409 and 413. */
  async save(name: unknown, workspace: string | undefined, at: string): Promise<Snapshot> {
    if (typeof name !== 'string' || !snapshotNamePattern.test(name)) {
      throw invalid("'name' must have 1 to 64 characters: letters, digits, dots, underscores and hyphens")
    }
    const key = keyOf(name, workspace)
    if (this.#all.has(key)) throw conflict(`There is a snapshot ${JSON.stringify(name)} already: delete it first`)
    if (this.#all.size >= snapshotsMax) throw conflict(`There are at most ${snapshotsMax} snapshots: delete one first`)
    if (workspace !== undefined) await this.#foldTallies()
    const schema = `emulator_snapshot_${++this.#count}`
    const copy = await this.#db.transaction(async (tx) => {
      if (workspace === undefined) return createCopy(tx, schema, await listFilledTables(tx))
      return createScopedCopy(tx, schema, (await getWorkspace(tx, workspace)).workspace_id)
    })
    const bytes = this.list().reduce((sum, each) => sum + each.copy.bytes, copy.bytes)
    if (bytes > snapshotBytesMax || this.#all.has(key)) {
      await dropCopy(this.#db, copy)
      throw new Failure('tooLarge', `All snapshots together may have ${snapshotBytesMax} bytes: delete one first`)
    }
    const snapshot = { name, workspace, at, copy, ids: idPosition() }
    this.#all.set(key, snapshot)
    return snapshot
  }

  /** Throws 404. */
  find(name: string, workspace: string | undefined): Snapshot {
    const found = this.#all.get(keyOf(name, workspace))
    if (found) return found
    const of = workspace === undefined ? '' : ` of the workspace ${JSON.stringify(workspace)}`
    throw notFound(`There is no snapshot ${JSON.stringify(name)}${of}`)
  }

  async delete(name: string, workspace: string | undefined): Promise<void> {
    const { copy } = this.find(name, workspace)
    this.#all.delete(keyOf(name, workspace))
    await dropCopy(this.#db, copy)
  }

  /** Replaces everything by what a copy has. Without one, by what there was at the beginning. */
  async restoreAll({ copy, ids } = this.#beginning!): Promise<void> {
    await this.#db.transaction((tx) => restoreAll(tx, copy))
    continueIdsAt(ids)
  }

  /** Replaces what a workspace has by a snapshot of it. */
  async restoreWorkspace({ copy }: Snapshot, workspace_id: number): Promise<void> {
    await this.#foldTallies()
    await this.#db.transaction(async (tx) => {
      await restoreScope(tx, workspaceScopes(await listFilledTables(tx), workspace_id), copy)
    })
  }

  /**
   * Returns a workspace to what it was at the beginning. One that was made later is empty then, with its id, its name and its keys.
   */
  async resetWorkspace(workspace_id: number): Promise<void> {
    await this.#foldTallies()
    const beginning = this.#beginningOf.get(workspace_id)
    await this.#db.transaction(async (tx) => {
      const scopes = workspaceScopes(await listFilledTables(tx), workspace_id)
      if (beginning) return restoreScope(tx, scopes, beginning)
      for (const table of keptTables) scopes.delete(table)
      await restoreScope(tx, scopes, undefined)
      const workspace = (await listWorkspaces(tx)).find((one) => one.workspace_id === workspace_id)
      if (workspace) await updateWorkspace(tx, workspace_id, workspace.name, {})
    })
  }

  /** Counts of several workspaces may wait in one row; afterwards each count has a row of its own. */
  async #foldTallies(): Promise<void> {
    const workspaces = (await listWorkspaces(this.#db)).map(({ workspace_id, settings }) => {
      return { workspace_id, settings: completeSettings(settings) }
    })
    await foldTallies(this.#db, workspaces, new AbortController().signal)
  }
}

async function createScopedCopy(tx: Tx, schema: string, workspace_id: number): Promise<Copy> {
  const tables = await listFilledTables(tx)
  const scopes = workspaceScopes(tables, workspace_id)
  const own = tables.filter(({ name }) => scopes.has(name))
  return createCopy(tx, schema, own, scopes)
}

function keyOf(name: string, workspace: string | undefined): string {
  return JSON.stringify([workspace ?? null, name])
}
