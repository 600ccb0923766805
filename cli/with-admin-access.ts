import type { Config } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import type { AccessMode, AdminAccess } from './admin-access.ts'
import { originIn } from './client.ts'
import type { Shell } from './command.ts'

/**
 * Runs `work` on the database when no server uses it, otherwise through the running server; with `url` always through that server. Only
 * the code of one of the two is loaded. Only a write creates or migrates a database.
 */
export async function withAdminAccess<T>(
  shell: Shell,
  config: Config,
  url: string | undefined,
  work: (access: AdminAccess) => Promise<T>,
  mode: AccessMode = 'write',
): Promise<T> {
  const { dataDir, databaseUrl } = config
  const askServer = async (origin: string, why: string): Promise<T> => {
    const { serverAccess } = await import('./server-access.ts')
    return work(serverAccess(config, origin, why))
  }
  if (url !== undefined) return askServer(url, 'this command uses a server')
  if (databaseUrl === undefined && dataDir === 'memory')
    return askServer(originIn(config), 'EASEL_DATA=memory is inside the running server')
  const inUse = `${dataDir} is in use by a running server`
  if (databaseUrl === undefined && (await isInUse(dataDir))) return askServer(originIn(config), inUse)
  try {
    const { withDatabaseAccess } = await import('./database-access.ts')
    return await withDatabaseAccess(shell, config, work, mode)
  } catch (error) {
    // A server has been started since the check.
    if (!(error instanceof FolderInUse)) throw error
    return askServer(originIn(config), inUse)
  }
}
