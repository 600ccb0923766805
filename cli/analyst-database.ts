import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import type { Db } from '../src/base/db/db.ts'
import { FolderInUse, isInUse } from '../src/base/db/folder-lock.ts'
import { Failure } from '../src/base/errors.ts'
import { snapshotsFolder } from '../src/workspace/backups/format.ts'
import { restoreBackup } from '../src/workspace/backups/restore-backup.ts'
import { listSnapshots, removeOldSnapshots } from '../src/workspace/backups/snapshots.ts'
import { backUpTo } from './backup.ts'
import { note, type Shell } from './command.ts'
import { requireEmbedded, requireMigrated, withDatabase } from './database.ts'
import { openByteProgress } from './progress.ts'
import { onFolder } from './read-everybody.ts'
import { getOwnRights } from './store.ts'

/** A snapshot that is older is not used again. */
const usedMs = 10 * 60_000
const waitMs = 120_000
const lookMs = 200

export type AnalystOptions = {
  /** Whether to take a new snapshot. */
  readonly fresh: boolean
}

/**
 * Runs `work` on the database of the environment, to read it. An embedded database that a server uses is answered from a snapshot: a copy
 * that the server writes while it goes on, as for a backup. Nothing is created or migrated.
 */
export async function withAnalystDatabase<T>(
  shell: Shell,
  config: Config,
  { fresh }: AnalystOptions,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = config
  const checked = async (db: Db) => {
    // An analyst cannot read which migrations were applied.
    if ((await getOwnRights(db)).reads_tables) await requireMigrated(db)
    return work(db)
  }
  // A statement that takes too long ends the engine, which is no error of the engine. Its own errors are thrown too.
  const quiet = { ...shell, stderr: new PassThrough() }
  if (databaseUrl !== undefined) return withDatabase(quiet, config, checked)
  if (dataDir === 'memory')
    throw new Failure('conflict', 'EASEL_DATA=memory is inside the running server: SQL needs a database on disk')
  requireEmbedded(config)
  if (!(await isInUse(dataDir))) {
    try {
      return await withDatabase(quiet, config, checked)
    } catch (error) {
      // A server has been started since the check.
      if (!isOf(error, dataDir)) throw error
    }
  }
  return onSnapshot(shell, config, fresh, checked)
}

async function onSnapshot<T>(shell: Shell, config: Config, fresh: boolean, work: (db: Db) => Promise<T>): Promise<T> {
  const clock = systemClock()
  const folder = (fresh ? undefined : await findSnapshot(config.dataDir)) ?? (await takeSnapshot(shell, config))
  const taken = await readFile(join(folder, 'taken'), 'utf8')
  const seconds = Math.max(0, Math.round((clock.elapsed() - Date.parse(taken)) / 1000))
  note(shell, `Read from a snapshot that is ${seconds} seconds old; --fresh takes a new one.`)
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    try {
      return await withDatabase({ ...shell, stderr: new PassThrough() }, onFolder(config, folder), work)
    } catch (error) {
      if (!isOf(error, folder) || waitedMs >= waitMs) throw error
      // Another command reads the snapshot, and an embedded database has one reader.
      if (waitedMs === 0) note(shell, 'Another command reads the snapshot: waiting for its end.')
      await pause(lookMs)
    }
  }
}

function isOf(error: unknown, folder: string): boolean {
  return error instanceof FolderInUse && error.message.includes(folder)
}

/** Returns the newest snapshot that is young enough. */
async function findSnapshot(dataDir: string): Promise<string | undefined> {
  const oldest = systemClock().elapsed() - usedMs
  const [newest] = await listSnapshots(dataDir)
  return newest && newest.takenMs >= oldest ? newest.folder : undefined
}

async function takeSnapshot(shell: Shell, config: Config): Promise<string> {
  const clock = systemClock()
  const snapshots = join(config.dataDir, snapshotsFolder)
  await mkdir(snapshots, { recursive: true, mode: 0o700 })
  const nowMs = Math.floor(clock.elapsed())
  await removeOldSnapshots(config.dataDir, nowMs)
  const folder = join(snapshots, `${nowMs}-${process.pid}`)
  const file = `${folder}.tar.zst`
  note(shell, 'The server writes a snapshot; it goes on meanwhile.')
  try {
    await backUpTo(config, file, shell)
    const { onProgress, end } = openByteProgress(shell.stderr)
    const head = await restoreBackup(file, folder, onProgress).finally(end)
    await writeFile(join(folder, 'taken'), head.at)
  } finally {
    await rm(file, { force: true })
  }
  // Another command may be making one of the others.
  for (const { folder: other } of await listSnapshots(config.dataDir))
    if (other !== folder && !(await isInUse(other))) await rm(other, { recursive: true, force: true })
  return folder
}
