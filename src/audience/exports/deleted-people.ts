import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Db, Tx } from '../../base/db/db.ts'
import type { Person } from '../../people/identity/person.ts'
import type { OwnedRule } from '../../people/merge/owned-rule.ts'
import { idsName, mayContain } from './exported-ids.ts'
import { addDeletedPeople, clearDeletedPeople, listWithDeleted, reopenExport } from './store.ts'

/** The most deleted people that an export remembers. With more, it is written again in any case. */
export const deletedPeopleMax = 10_000

/** A deletion reaches the files of exports: those with the person are written again. */
export const exportRule: OwnedRule = { tables: [], delete: markExports }

/** Also runs when no older transaction is left, so it marks exports that were claimed just before the deletion. */
async function markExports(tx: Tx, people: readonly Person[]): Promise<void> {
  if (people.length === 0) return
  await addDeletedPeople(
    tx,
    people.map(({ profile_id }) => profile_id),
    deletedPeopleMax,
  )
}

/** Removes the files that contain deleted people, and lets their exports be written again under the same link. */
export async function reopenWithDeleted(db: Db, folder: string): Promise<void> {
  for (const { id, object, deleted } of await listWithDeleted(db)) {
    const path = join(folder, object)
    const idsPath = join(folder, idsName(object))
    const isFull = deleted.length >= deletedPeopleMax
    if (!isFull && !(await mayContain(idsPath, new Set(deleted)))) {
      await clearDeletedPeople(db, id, deleted.length)
      continue
    }
    await reopenExport(db, id)
    await Promise.all([path, idsPath].map((each) => rm(each, { force: true })))
  }
}
