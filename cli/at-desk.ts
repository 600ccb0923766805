import type { Config } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import { originIn } from './client.ts'
import type { Desk } from './desk.ts'
import type { Shell } from './verb.ts'

/**
 * Works on the database when nobody holds it, else through the running server; with `url` always through that server. Only what is
 * needed is loaded: who asks a server does not wait for the code of one.
 */
export async function atDesk<T>(
  shell: Shell,
  config: Config,
  url: string | undefined,
  work: (desk: Desk) => Promise<T>,
): Promise<T> {
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
    return await atDatabase(shell, config, work)
  } catch (error) {
    // Somebody has taken it since.
    if (!(error instanceof FolderInUse)) throw error
    return askServer(originIn(config), inUse)
  }
}
