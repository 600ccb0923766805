import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { idsName } from './exported-ids.ts'
import { deleteExpired, findExports } from './store.ts'

/** The names that `write-export.ts` gives its files. Other files in the folder are not deleted. */
const exportName = /^[0-9a-f]{8}-[0-9a-f-]+\.[^/]+$/
/** The most names of one query. */
const batch = 1_000

/** Deletes expired exports, and every file in the folder that belongs to no export. */
export async function deleteExpiredExports(db: Db, clock: Clock, folder: string): Promise<void> {
  await deleteExpired(db, clock.elapsed())
  // The first export creates the folder.
  const names = existsSync(folder) ? (await readdir(folder)).filter((name) => exportName.test(name)) : []
  for (let i = 0; i < names.length; i += batch) await removeUnusedFiles(db, folder, names.slice(i, i + batch))
}

async function removeUnusedFiles(db: Db, folder: string, names: readonly string[]): Promise<void> {
  const idOf = (name: string) => name.split('.')[0]!
  const exports = new Map((await findExports(db, names.map(idOf))).map((row) => [row.id, row]))
  const isInUse = (name: string) => {
    const row = exports.get(idOf(name))
    return (
      row?.state === 'waiting' ||
      row?.state === 'running' ||
      (row?.state === 'done' && (row.object === name || (row.object && idsName(row.object) === name)))
    )
  }
  for (const name of names) if (!isInUse(name)) await rm(join(folder, name), { force: true })
}
