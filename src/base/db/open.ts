import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { createDb } from './driver.ts'
import { lockFolder } from './folder-lock.ts'
import { openPglite, type PgliteDriver } from './pglite.ts'
import { openPostgres } from './postgres.ts'
import { startUpkeep, type UpkeepOptions } from './upkeep.ts'

/** A statement that takes longer fails. */
const STATEMENT_DEADLINE_MS = 30_000
/** Write-ahead log between two checkpoints of the embedded database. On disk this much takes two to five seconds of recovery. */
const DISK_WAL_BYTES_MAX = 384 * 1_048_576
const MEMORY_WAL_BYTES_MAX = 64 * 1_048_576

export type OpenOptions = {
  /** The folder of everything on disk, or `memory` for a database that ends with the process. Not used with `databaseUrl`. */
  dataDir: string | 'memory'
  /** The URL of a PostgreSQL server, which is used instead of the embedded database. */
  databaseUrl?: string
  log: Log
  clock: Clock
  statementDeadlineMs?: number
  /** Called when the embedded engine runs in its thread: the main thread is idle from then on until the database is open. */
  onEngineStarted?(): void
}

/** Opens the database of the configuration. Throws FolderInUse when another process has the data directory. */
export async function openDb(options: OpenOptions): Promise<Db> {
  const { databaseUrl, log, clock, statementDeadlineMs: deadlineMs = STATEMENT_DEADLINE_MS } = options
  if (databaseUrl) return createDb(await openPostgres(databaseUrl, deadlineMs, { log, clock }), log)
  return openEmbedded(options, deadlineMs)
}

async function openEmbedded({ dataDir, clock, log, onEngineStarted }: OpenOptions, deadlineMs: number): Promise<Db> {
  const memory = { walBytesMax: MEMORY_WAL_BYTES_MAX, clock }
  if (dataDir === 'memory')
    return withUpkeep(await openPglite({ deadlineMs, clock, log, onEngineStarted }), memory, log)
  const lock = await lockFolder(dataDir)
  try {
    const driver = await openPglite({ directory: join(dataDir, 'database'), deadlineMs, clock, log, onEngineStarted })
    const db = withUpkeep(driver, { walBytesMax: DISK_WAL_BYTES_MAX, clock }, log, dataDir)
    return { ...db, close: () => db.close().finally(() => lock.release()) }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function withUpkeep(driver: PgliteDriver, options: UpkeepOptions, log: Log, dataDir?: string): Db {
  const db = createDb(driver, log)
  const upkeep = startUpkeep(db, options, log)
  return {
    ...db,
    ...(dataDir !== undefined && { files: { dataDir, holdCheckpoints: upkeep.holdCheckpoints } }),
    close() {
      upkeep.stop()
      return db.close()
    },
  }
}
