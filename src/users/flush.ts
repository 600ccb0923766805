import type { Clock } from '../base/clock.ts'
import type { Db, Tx } from '../base/db/db.ts'
import { Directory } from '../profiles/directory.ts'
import { appendEvents, appendPurchases } from '../profiles/history.ts'
import { fillDirectory, type ResolveParts } from '../profiles/resolve.ts'
import type { Flush } from './intake.ts'
import { mention, play } from './play.ts'
import { type AppIds, learnNames, type TrackWork } from './prepare.ts'
import { findFlush, insertFlush } from './store.ts'
import { StaleIdentity, together, writePeople } from './write.ts'

export type FlushParts = ResolveParts & {
  db: Db
  clock: Clock
  /** A flush has read this number of the workspace cache's version. */
  noticed(version: number): void
}

const attemptsMax = 3

/** Sorted arrays meet indexes row by row; another plan would lock rows in another order. */
const settings = ['enable_hashjoin = off', 'enable_mergejoin = off', 'jit = off']

/**
 * Applies a whole flush in one transaction; a flush that has been applied before stays as it is. `sent` is called when the
 * database has its work.
 */
export async function applyFlush(flush: Flush, parts: FlushParts, sent: () => void): Promise<void> {
  const appId = await learnNames(parts.db, flush.works)
  for (let attempt = 1; ; attempt++) {
    try {
      const directory = await parts.db.transaction((tx) => applyIn(tx, flush, appId, parts, sent), { settings })
      // Only now is it certain that the people this flush has made exist.
      directory?.settle()
      return
    } catch (error) {
      if (!(error instanceof StaleIdentity) || attempt === attemptsMax) throw error
      parts.identities.clear()
    }
  }
}

/** Whether somebody's e-mail or phone changes: then who has an address now need not be who has it at the flush's end. */
function movesAddress({ attributes }: TrackWork): boolean {
  return attributes.some(({ change: { standard } }) => standard?.email !== undefined || standard?.phone !== undefined)
}

/** Whether the flush has been committed. */
export async function flushHappened(db: Db, flush_id: string): Promise<boolean> {
  return findFlush(db, flush_id)
}

async function applyIn(
  tx: Tx,
  flush: Flush,
  appId: AppIds,
  parts: FlushParts,
  sent: () => void,
): Promise<Directory | undefined> {
  const begun = await insertFlush(tx, flush.flush_id, parts.clock.elapsed())
  if (!begun.first) return undefined
  parts.noticed(begun.workspaceVersion)
  parts.identities.refresh(begun.identityVersion)
  const stamp = () => parts.clock.stamp()
  const directory = new Directory(parts.identities, parts.newId, stamp)
  const mentions = mention(flush.works, directory)
  await fillDirectory(tx, directory, flush.works.some(movesAddress), parts)
  const { written, events, purchases } = play(flush.works, mentions, directory, appId, stamp)
  // Each is sent as soon as it is built, so that the next is built while the database works.
  await together([
    writePeople(tx, written, directory.newcomers, sent),
    appendEvents(tx, events),
    appendPurchases(tx, purchases),
  ])
  return directory
}
