import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { createDb } from './driver.ts'
import { lockFolder } from './folder-lock.ts'
import { openPglite, type PgliteDriver } from './pglite.ts'
import { openPostgres } from './postgres.ts'
import { startUpkeep, type UpkeepOptions } from './upkeep.ts'

/** A statement that takes longer has failed. */
const STATEMENT_DEADLINE_MS = 30_000
/** Log between two checkpoints of the embedded database: two to five seconds of recovery; in memory only room. */
const DISK_WAL_BYTES_MAX = 384 * 1_048_576
const MEMORY_WAL_BYTES_MAX = 64 * 1_048_576

export type OpenOptions = {
  /** Where everything on disk lives; `memory` for a database that ends with the process. Not used with `databaseUrl`. */
  dataDir: string | 'memory'
  /** A PostgreSQL server instead of the embedded database. */
  databaseUrl?: string
  log: Log
  clock: Clock
  statementDeadlineMs?: number
  /** Called when the embedded engine runs in its thread: until the database is open, this one has nothing to do. */
  engineStarted?(): void
}

/** Opens the database that the configuration names. */
export async function openDb(options: OpenOptions): Promise<Db> {
  const { databaseUrl, log, statementDeadlineMs: deadlineMs = STATEMENT_DEADLINE_MS } = options
  if (databaseUrl) return createDb(await openPostgres(databaseUrl, deadlineMs, log))
  return openEmbedded(options, deadlineMs)
}

async function openEmbedded({ dataDir, clock, log, engineStarted }: OpenOptions, deadlineMs: number): Promise<Db> {
  const memory = { walBytesMax: MEMORY_WAL_BYTES_MAX, clock }
  if (dataDir === 'memory') return tidied(await openPglite({ deadlineMs, clock, log, engineStarted }), memory, log)
  const lock = await lockFolder(dataDir)
  try {
    const driver = await openPglite({ directory: join(dataDir, 'database'), deadlineMs, clock, log, engineStarted })
    const db = tidied(driver, { walBytesMax: DISK_WAL_BYTES_MAX, clock }, log)
    return { ...db, close: () => db.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function tidied(driver: PgliteDriver, upkeep: UpkeepOptions, log: Log): Db {
  const db = createDb(driver)
  const stop = startUpkeep(db, upkeep, log)
  return {
    ...db,
    close() {
      stop()
      return db.close()
    },
  }
}
