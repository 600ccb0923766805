import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { deleteExpired, findExports } from './store.ts'

/** As `write.ts` names its files; what others have put there is theirs. */
const ownName = /^[0-9a-f]{8}-[0-9a-f-]+\.[^/]+$/
/** Names that are asked about at a time. */
const batch = 1_000

/** Forgets exports that have expired, and removes every file in the folder that belongs to none. */
export async function deleteExpiredExports(db: Db, clock: Clock, folder: string): Promise<void> {
  await deleteExpired(db, clock.elapsed())
  // The first export makes the folder.
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => ownName.test(name)) : []
  for (let i = 0; i < names.length; i += batch) await removeUnusedFiles(db, folder, names.slice(i, i + batch))
}

async function removeUnusedFiles(db: Db, folder: string, names: readonly string[]): Promise<void> {
  const idOf = (name: string) => name.split('.')[0]!
  const exports = new Map((await findExports(db, names.map(idOf))).map((row) => [row.id, row]))
  const isWanted = (name: string) => {
    const row = exports.get(idOf(name))
    return row?.state === 'waiting' || row?.state === 'running' || (row?.state === 'done' && row.object === name)
  }
  for (const name of names) if (!isWanted(name)) await rm(join(folder, name), { force: true })
}
