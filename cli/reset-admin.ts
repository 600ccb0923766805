import { setTimeout as pause } from 'node:timers/promises'
import { generateAdminToken, hashAdminToken, setAdminToken } from '../src/accounts/keys/admin-token.ts'
import { leaveAdminToken } from '../src/accounts/keys/admin-token-file.ts'
import { type Config, ConfigError } from '../src/base/config.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import type { Shell } from './command.ts'
import { withCall } from './database.ts'

/** A server reads changes of keys within half a second. */
const readMs = 1_000
/** How long a server that uses the data directory has to take the new token. */
const takeMs = 15_000
const lookMs = 100

/** Replaces the admin token of the installation. Returns the new one when a running server refuses the old one. Throws 409. */
export async function resetAdminToken(shell: Shell, config: Config): Promise<string> {
  const { adminToken, dataDir, databaseUrl } = config
  if (adminToken !== undefined) {
    throw new ConfigError(
      'EASEL_ADMIN_TOKEN: a value was given, and it is the admin token as long as it is given; accepted for keys reset-admin is none',
    )
  }
  if (databaseUrl === undefined && dataDir === 'memory') {
    throw new Failure(
      'conflict',
      'EASEL_DATA=memory: the admin token ends with the server; the next start shows another',
    )
  }
  const token = generateAdminToken()
  const hash = hashAdminToken(token)
  if (databaseUrl === undefined && (await isInUse(dataDir))) await giveToServer(dataDir, hash)
  else await write(shell, config, token, hash)
  return token
}

async function write(shell: Shell, config: Config, token: string, hash: Buffer): Promise<void> {
  try {
    // With the new token as the given one, no other is generated for a new database.
    await withCall(shell, { ...config, adminToken: token }, ({ db, clock, actor }) =>
      setAdminToken(db, clock, hash, actor),
    )
  } catch (error) {
    // A server has been started since the check.
    if (!(error instanceof FolderInUse)) throw error
    await giveToServer(config.dataDir, hash)
    return
  }
  if (config.databaseUrl !== undefined) await pause(readMs)
}

/** The server that uses the embedded database is the only one that can write to it. */
async function giveToServer(dataDir: string, hash: Buffer): Promise<void> {
  const left = leaveAdminToken(dataDir, hash)
  for (let waitedMs = 0; !left.isTaken(); waitedMs += lookMs) {
    if (waitedMs >= takeMs) {
      left.withdraw()
      throw new Failure(
        'unavailable',
        `${dataDir} is in use by a process that does not take a new admin token: stop it, then try again`,
      )
    }
    await pause(lookMs)
  }
}
