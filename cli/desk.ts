import type { PeoplePage } from '../src/admin/people.ts'
import type { Line } from '../src/admin/people-lines.ts'
import type { Restored } from '../src/admin/restore.ts'
import type { Config } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import type { Applied } from '../src/workspace/apply.ts'
import type { WorkspaceFile } from '../src/workspace/file.ts'
import { originIn } from './client.ts'

export type Shown = Record<string, unknown>

/** Where configuration and people are changed: the database itself, or the server that holds it. Both do the same. */
export type Desk = {
  apply(file: WorkspaceFile, plan: boolean, workspace?: string): Promise<Applied>
  /** The entries of a list of the workspace file, by its path under `/admin/`. */
  list(path: string, workspace?: string): Promise<Shown[]>
  createKey(key: Shown, workspace?: string): Promise<Shown>
  deleteKey(id: string, workspace?: string): Promise<void>
  /** Bytes that one line of people may have. */
  readonly lineBytesMax: number
  readPeople(after: string | undefined, workspace?: string): Promise<PeoplePage>
  writePeople(lines: readonly Line[], plan: boolean, workspace?: string): Promise<Restored>
}

/**
 * Works on the database when nobody holds it, else through the running server; with `url` always through that server. Only what is
 * needed is loaded: who asks a server does not wait for the code of one.
 */
export async function atDesk<T>(config: Config, url: string | undefined, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = config
  const askServer = async (origin: string, why: string): Promise<T> => {
    const { serverDesk } = await import('./server-desk.ts')
    return work(serverDesk(config, origin, why))
  }
  if (url !== undefined) return askServer(url, 'it is asked')
  if (databaseUrl === undefined && dataDir === 'memory')
    return askServer(originIn(config), 'EASEL_DATA=memory is inside the running server')
  const inUse = `${dataDir} is in use by a running server`
  if (databaseUrl === undefined && (await isInUse(dataDir))) return askServer(originIn(config), inUse)
  try {
    const { atDatabase } = await import('./database-desk.ts')
    return await atDatabase(config, work)
  } catch (error) {
    // Somebody has taken it since.
    if (!(error instanceof FolderInUse)) throw error
    return askServer(originIn(config), inUse)
  }
}
