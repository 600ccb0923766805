import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { nestedLoopsOnly } from '../../base/db/transaction-settings.ts'
import { appendEvents, appendPurchases } from '../history/history-store.ts'
import { Directory } from '../identity/directory.ts'
import type { Identities } from '../identity/identities.ts'
import { listIdentityChanges } from '../identity/identity-change-store.ts'
import { fillDirectory, type ResolveServices, sendLookups } from '../identity/resolve.ts'
import { retryWhenRemoved } from '../identity/retry-removed.ts'
import { SignalRecorder } from '../signals/record-signals.ts'
import { refreshWatched } from '../signals/signal-store.ts'
import type { Watched } from '../signals/signals.ts'
import { applyItems, eventsOfKnown, type ItemPeople, lookUpItems } from './apply-items.ts'
import { findFlush, insertFlush, readVersions } from './flush-store.ts'
import type { Flush, FlushProgress } from './intake.ts'
import { type AppIds, type PreparedRequest, resolveNames } from './prepare.ts'
import { waitForAll, writePeople } from './write.ts'

export type FlushServices = ResolveServices & {
  db: Db
  clock: Clock
  identities: Identities
  /** A flush has read this number of the workspace cache's version. */
  onWorkspaceVersion(version: number): void
  watched: Watched
  /** A flush that was committed has written signals. */
  onSignals?(): void
}

/** Whom the items of a flush name, as far as the cache knows them, in this epoch of it. */
export type FlushPeople = { directory: Directory; mentions: ItemPeople; epoch: number }

/**
 * Applies a whole flush in one transaction; fails with `AppliedBefore`, and applies nothing, when that has happened already. `course` is
 * told how far it is.
 */
export async function applyFlush(
  flush: Flush<FlushPeople>,
  parts: FlushServices,
  course: FlushProgress,
): Promise<void> {
  const appId = await resolveNames(parts.db, flush.works)
  const applied = await retryWhenRemoved((attempt) => {
    // Whoever took a person away has announced it, and the second attempt reads that. If it did not help, nothing known holds.
    if (attempt > 2) parts.identities.clear()
    return parts.db.transaction((tx) => applyInTransaction(tx, flush, appId, parts, course), {
      settings: nestedLoopsOnly,
      assignTransactionId: true,
    })
  })
  // Only now is it certain that the people this flush has made exist.
  applied.directory.commit()
  if (applied.recorder.written > 0) parts.onSignals?.()
}

/** Whether somebody's e-mail or phone changes: then who has an address now need not be who has it at the flush's end. */
function movesAddress({ attributes }: PreparedRequest): boolean {
  return attributes.some(({ change: { standard } }) => standard?.email !== undefined || standard?.phone !== undefined)
}

/** Whether the flush has been committed. */
export async function isFlushCommitted(db: Db, flush_id: string): Promise<boolean> {
  return findFlush(db, flush_id)
}

/** Forgets those of whom some identifier names nobody or somebody else since the version that the cache knows. */
async function refreshIdentities(tx: Tx, version: number, identities: Identities): Promise<void> {
  const known = identities.version
  identities.refresh(version, known === undefined ? undefined : await listIdentityChanges(tx, known))
}

/** Asks the cache whom these works name; no I/O. */
export function lookUpPeople(
  works: readonly PreparedRequest[],
  { identities, newId, clock }: FlushServices,
): FlushPeople {
  const directory = new Directory(identities, newId, () => clock.stamp())
  return { directory, mentions: lookUpItems(works, directory), epoch: identities.epoch }
}

type Applied = { directory: Directory; recorder: SignalRecorder }

async function applyInTransaction(
  tx: Tx,
  flush: Flush<FlushPeople>,
  appId: AppIds,
  parts: FlushServices,
  course: FlushProgress,
): Promise<Applied> {
  const { identities, watched, clock } = parts
  const { works, flush_id } = flush
  let naming = flush.naming ?? lookUpPeople(works, parts)
  // It serves one attempt, which changes it.
  flush.naming = undefined
  const beginning = readVersions(tx)
  let asked = sendLookups(tx, naming.directory, parts)
  const versions = await beginning
  parts.onWorkspaceVersion(versions.workspace)
  if (versions.identity !== identities.version) await refreshIdentities(tx, versions.identity, identities)
  await refreshWatched(tx, watched, versions.watched)
  if (naming.epoch !== identities.epoch) {
    // Somebody has departed since.
    naming = lookUpPeople(works, parts)
    asked = sendLookups(tx, naming.directory, parts)
  }
  const { directory, mentions } = naming
  const recorder = new SignalRecorder(watched, parts.newId)
  async function decideAndWrite(): Promise<void> {
    const { reserved } = await fillDirectory(tx, directory, asked, works.some(movesAddress), parts)
    const played = applyItems(works, mentions, directory, appId, () => clock.stamp(), recorder)
    // Each is sent as soon as it is built, so that the next is built while the database works.
    await waitForAll([
      reserved,
      writePeople(tx, played, directory.newPeople, parts.hashAddress, recorder, course.sent),
      appendEvents(tx, played.events),
      appendPurchases(tx, played.purchases),
      recorder.write(tx),
    ])
  }
  // What is known already goes behind the look-ups: the database has work while the rest is decided.
  await waitForAll([
    insertFlush(tx, flush_id, clock.elapsed()),
    decideAndWrite(),
    appendEvents(tx, eventsOfKnown(works, mentions, appId)),
  ])
  // What changed of people was known only when they were loaded.
  await recorder.write(tx)
  course.written()
  return { directory, recorder }
}
