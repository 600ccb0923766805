import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isInUse } from '../../base/db/folder-lock.ts'
import { snapshotsFolder } from './format.ts'

/** A copy of the database that commands read while a server uses the database. */
export type Snapshot = { readonly folder: string; readonly takenMs: number }

/** How long a snapshot is kept. It has data of people who may be deleted meanwhile. */
export const snapshotKeptMs = 3_600_000

/** The name of a folder: when it was taken, epoch milliseconds of the machine, and by which process. */
const folderName = /^(\d+)-\d+$/

/** Lists the complete snapshots of a data directory, the newest first. */
export async function listSnapshots(dataDir: string): Promise<Snapshot[]> {
  const all = await listFolders(dataDir)
  return all.filter(({ folder }) => existsSync(join(folder, 'taken'))).sort((one, other) => other.takenMs - one.takenMs)
}

/** Removes snapshots, also incomplete ones, that nobody reads and that are too old. `nowMs` is machine time. */
export async function removeOldSnapshots(dataDir: string, nowMs: number): Promise<void> {
  for (const { folder, takenMs } of await listFolders(dataDir)) {
    if (takenMs + snapshotKeptMs > nowMs || (await isInUse(folder))) continue
    await rm(folder, { recursive: true, force: true })
    await rm(`${folder}.tar.zst`, { force: true })
  }
}

async function listFolders(dataDir: string): Promise<Snapshot[]> {
  const parent = join(dataDir, snapshotsFolder)
  const names = await readdir(parent).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const stems = new Set(names.map((name) => name.replace(/\.tar\.zst$/, '')))
  return [...stems].flatMap((name) => {
    const [, takenMs] = folderName.exec(name) ?? []
    return takenMs === undefined ? [] : [{ folder: join(parent, name), takenMs: Number(takenMs) }]
  })
}
