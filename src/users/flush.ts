import type { Clock } from '../base/clock.ts'
import type { Db, Tx } from '../base/db/db.ts'
import { Directory } from '../profiles/directory.ts'
import { appendEvents, appendPurchases } from '../profiles/history.ts'
import type { Identities } from '../profiles/identities.ts'
import { fillDirectory, type ResolveParts } from '../profiles/resolve.ts'
import { type NameKind, nameIds } from '../workspace/names.ts'
import type { Flush, TrackWork } from './intake.ts'
import { mention, type PlayParts, play } from './play.ts'
import { findFlush, insertFlush } from './store.ts'
import { StaleIdentity, together, writePeople } from './write.ts'

export type FlushParts = ResolveParts & {
  db: Db
  clock: Clock
  identities: Identities
  /** A flush has read this number of the workspace cache's version. */
  noticed(version: number): void
}

const attemptsMax = 3

/** Sorted arrays meet indexes row by row; another plan would lock rows in another order. */
const settings = ['enable_hashjoin = off', 'enable_mergejoin = off', 'jit = off']

/** Applies a whole flush in one transaction; a flush that has been applied before stays as it is. */
export async function applyFlush(flush: Flush, parts: FlushParts): Promise<void> {
  const playParts = { stamp: () => parts.clock.stamp(), nameId: await learnNames(flush.works, parts.db) }
  for (let attempt = 1; ; attempt++) {
    try {
      const directory = await parts.db.transaction((tx) => applyIn(tx, flush, playParts, parts), { settings })
      // Only now is it certain that the people this flush has made exist.
      directory?.settle()
      return
    } catch (error) {
      if (!(error instanceof StaleIdentity) || attempt === attemptsMax) throw error
      parts.identities.clear()
    }
  }
}

/** Whether the flush has been committed. */
export async function flushHappened(db: Db, flush_id: string): Promise<boolean> {
  return findFlush(db, flush_id)
}

async function applyIn(tx: Tx, flush: Flush, playParts: PlayParts, parts: FlushParts): Promise<Directory | undefined> {
  const begun = await insertFlush(tx, flush.flush_id, parts.clock.elapsed())
  if (!begun.first) return undefined
  parts.noticed(begun.workspaceVersion)
  parts.identities.refresh(begun.identityVersion)
  const directory = new Directory(parts.identities, parts.newId)
  const mentions = mention(flush.works, directory)
  await fillDirectory(tx, directory, parts)
  const { written, events, purchases } = play(flush.works, mentions, directory, playParts)
  // Each is sent as soon as it is built, so that the next is built while the database works.
  await together([
    appendEvents(tx, events),
    appendPurchases(tx, purchases),
    writePeople(tx, written, directory.newcomers, playParts.stamp),
  ])
  return directory
}

/** Numbers for every name a flush uses. They are given before its transaction begins, so that no lock on them is held. */
async function learnNames(works: readonly TrackWork[], db: Db): Promise<PlayParts['nameId']> {
  const wanted = new Map<string, { workspace_id: number; kind: NameKind; names: Set<string> }>()
  const want = (workspace_id: number, kind: NameKind, name: string): void => {
    const key = `${kind}${workspace_id}`
    const list = wanted.get(key)
    if (list) list.names.add(name)
    else wanted.set(key, { workspace_id, kind, names: new Set([name]) })
  }
  for (const { workspace_id, events, purchases } of works) {
    for (const { name, app_id } of events) {
      want(workspace_id, 'event', name)
      if (app_id !== null) want(workspace_id, 'app', app_id)
    }
    for (const { product_id, app_id } of purchases) {
      want(workspace_id, 'product', product_id)
      if (app_id !== null) want(workspace_id, 'app', app_id)
    }
  }
  const known = new Map<string, Map<string, number>>()
  for (const [key, { workspace_id, kind, names }] of wanted)
    known.set(key, await nameIds(db, workspace_id, kind, names))
  return (workspace_id, kind, name) => known.get(`${kind}${workspace_id}`)!.get(name)!
}
