import type { Clock } from '../../base/clock.ts'
import { waitForAnnounced } from '../../base/db/announcement.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { nestedLoopsOnly } from '../../base/db/transaction-settings.ts'
import { measureSubject, Tally } from '../../workspace/tallies/tally.ts'
import { insertTallyChange } from '../../workspace/tallies/tally-store.ts'
import { appendEvents, appendPurchases } from '../history/history-store.ts'
import { Directory } from '../identity/directory.ts'
import type { Identities } from '../identity/identities.ts'
import { listIdentityChanges } from '../identity/identity-change-store.ts'
import { fillDirectory, type ResolveServices, sendLookups } from '../identity/resolve.ts'
import { PersonRemoved, retryWhenRemoved } from '../identity/retry-removed.ts'
import type { AttributeChange } from '../profile/attributes.ts'
import { SignalRecorder } from '../signals/record-signals.ts'
import { refreshWatched } from '../signals/signal-store.ts'
import type { Watched } from '../signals/signals.ts'
import { applyItems, eventsOfKnown, type ItemPeople, lookUpItems } from './apply-items.ts'
import { insertFlush, readVersions } from './flush-store.ts'
import type { Flush, FlushProgress } from './intake.ts'
import { claimAnswers, keepKeyedAnswers } from './keyed-answers.ts'
import { type AppIds, type PreparedRequest, resolveNames } from './prepare-request.ts'
import { waitForAll, writePeople } from './write-people.ts'

export type FlushServices = ResolveServices & {
  db: Db
  clock: Clock
  identities: Identities
  /** Called with the version of the workspace configuration that a flush has read. */
  onWorkspaceVersion(version: number): void
  watched: Watched
  /** Called after the commit of a flush that has written signals. */
  onSignals?(): void
}

/** The people of the items of a flush that are in the cache of this epoch. */
export type FlushPeople = { directory: Directory; itemPeople: ItemPeople; epoch: number }

/** Applies a flush in one transaction. Throws `AlreadyApplied`, and applies nothing, if it was already committed. */
export async function applyFlush(
  flush: Flush<FlushPeople>,
  services: FlushServices,
  progress: FlushProgress,
): Promise<void> {
  const appId = await resolveNames(services.db, flush.requests)
  const committed = await retryWhenRemoved((attempt) => {
    // The second attempt reads the announced removals of people. If it also fails, the cache is cleared.
    if (attempt > 2) services.identities.clear()
    return services.db.transaction((tx) => applyInTransaction(tx, flush, appId, services, progress), {
      settings: nestedLoopsOnly,
    })
  })
  // The new people of the flush exist only after its commit.
  committed.directory.commit()
  if (committed.recorder.written > 0) services.onSignals?.()
}

/** Returns whether an item changes an e-mail or phone. Then the owners of an address may change during the flush. */
function changesAddress({ attributes }: PreparedRequest): boolean {
  return attributes.some(({ change: { standard } }) => standard?.email !== undefined || standard?.phone !== undefined)
}

/** Updates the cache to a version: forgets the people whose identifiers have changed since. */
async function refreshIdentities(tx: Tx, version: number, { identities, db }: FlushServices): Promise<void> {
  const known = identities.version
  await waitForAnnounced(tx, db.log)
  // What an empty cache has looked up before the wait may be older than the version.
  if (tx.placement !== undefined && known === undefined) identities.clear()
  identities.refresh(version, known === undefined ? undefined : await listIdentityChanges(tx, known))
}

const nothingRefused: ReadonlyMap<AttributeChange, string> = new Map()

/** Looks up in the cache the people that these requests name; no I/O. */
export function lookUpPeople(
  requests: readonly PreparedRequest[],
  { identities, newId, clock }: FlushServices,
  refused: ReadonlyMap<AttributeChange, string> = nothingRefused,
): FlushPeople {
  const directory = new Directory(identities, newId, () => clock.stamp())
  return { directory, itemPeople: lookUpItems(requests, directory, refused), epoch: identities.epoch }
}

type Committed = { directory: Directory; recorder: SignalRecorder }

async function applyInTransaction(
  tx: Tx,
  flush: Flush<FlushPeople>,
  appId: AppIds,
  services: FlushServices,
  progress: FlushProgress,
): Promise<Committed> {
  const { identities, watched, clock } = services
  const { requests, flush_id, outcome } = flush
  outcome.begin()
  let people = flush.people ?? lookUpPeople(requests, services, outcome.refused)
  // Each attempt changes the directory, so each needs a new one.
  flush.people = undefined
  const beginning = readVersions(tx)
  let lookups = sendLookups(tx, people.directory, services)
  const versions = await beginning
  services.onWorkspaceVersion(versions.workspace)
  if (versions.identity !== identities.version) await refreshIdentities(tx, versions.identity, services)
  await refreshWatched(tx, watched, versions)
  if (people.epoch !== identities.epoch) {
    // People were forgotten since the look-up.
    people = lookUpPeople(requests, services, outcome.refused)
    lookups = sendLookups(tx, people.directory, services)
  }
  const { directory, itemPeople } = people
  const recorder = new SignalRecorder(watched, services.newId)
  const tally = new Tally()
  const knownEvents = eventsOfKnown(requests, itemPeople, appId, tally)
  async function decideAndWrite(): Promise<void> {
    const { reserved } = await fillDirectory(tx, directory, lookups, requests.some(changesAddress), services)
    const applied = applyItems(requests, itemPeople, directory, appId, () => clock.stamp(), recorder, outcome, tally)
    for (const { workspace_id, createdUs } of directory.newPeople)
      if (createdUs !== undefined) tally.add(measureSubject(workspace_id, 'new_users'), null, createdUs)
    // Each statement is sent as soon as it is built, so that the database works while the next one is built.
    await waitForAll([
      reserved,
      writePeople(tx, applied, directory.newPeople, services.hashAddress, recorder, progress.sent, outcome),
      appendEvents(tx, applied.events),
      appendPurchases(tx, applied.purchases),
      insertTallyChange(tx, tally),
      recorder.write(tx),
    ])
  }
  const written = insertFlush(tx, flush_id, clock.elapsed())
  // Keys are claimed before anything is locked, so that two flushes cannot wait for each other.
  if (requests.some(({ once }) => once)) await waitForAll([written, claimAnswers(tx, requests, clock.elapsed())])
  // Events of known people follow the look-ups, so that the database has work while the rest is decided.
  await waitForAll([written, decideAndWrite(), appendEvents(tx, knownEvents)])
  if (outcome.mustApplyAgain)
    throw new PersonRemoved('an object was refused that decides which person others are about')
  // Changes of watched attributes are known only after the profiles were loaded.
  await recorder.write(tx)
  await keepKeyedAnswers(tx, requests, outcome, clock.elapsed())
  progress.written()
  return { directory, recorder }
}
