import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../base/errors.ts'
import { newHiddenId } from '../../base/ids.ts'
import { startInterval } from '../../base/interval.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import { PermanentError } from './archive.ts'
import { reopenWithDeleted } from './deleted-people.ts'
import { idsName } from './exported-ids.ts'
import type { WrittenCounts } from './person-lines.ts'
import {
  type ClaimedExport,
  claimExport,
  type ExportOutcome,
  exportProbe,
  finishExport,
  releaseAllExports,
  releaseExport,
  renewLease,
} from './store.ts'
import { type WriteServices, writeExport } from './write-export.ts'

export type WriterServices = WriteServices & {
  log: Log
  poller?: Polls
  onFinished(state: ExportOutcome['state']): void
}

/** How long an export and its links are valid, in machine time. */
export const expiresAfterMs = 4 * 60 * 60 * 1000

/** After this time without a renewal another process may claim the export. */
const leaseMs = 5_000
const renewEveryMs = 1_000
const checkEveryMs = 1_000
/** The most attempts to write one export, including attempts that ended with a kill. */
export const exportAttemptsMax = 5
const retryMs = 1_000

export const notWritten = 'The export could not be written'

/** The reason of an aborted attempt: another process has claimed the export. */
class LeaseLost extends Error {}

/** Writes accepted exports one at a time, the oldest first. An attempt that was interrupted is repeated, also after a kill. */
export function openWriter(services: WriterServices, onFinished: () => void): Loop {
  const { db, clock, log, poller } = services
  let released = db.backend !== 'pglite'
  return openLoop(
    {
      name: 'exports.write',
      everyMs: checkEveryMs,
      poller,
      probe: (aheadMs) => exportProbe(clock.elapsed() + aheadMs),
      async turn(stopping) {
        // No other process uses an embedded database, so all claims in it are from an earlier process.
        if (!released) await releaseAllExports(db)
        released = true
        await reopenWithDeleted(db, services.folder)
        const more = await writeNext(services, stopping)
        if (more) onFinished()
        return more
      },
    },
    log,
  )
}

/** Makes one attempt to write the oldest export. Returns false when there is none. */
async function writeNext(services: WriterServices, stopping: AbortSignal): Promise<boolean> {
  const { db, clock } = services
  if (stopping.aborted) return false
  const nowMs = clock.elapsed()
  const claimed = await claimExport(db, newHiddenId(), nowMs, nowMs + leaseMs)
  if (!claimed) return false
  // An export that kills the process must not be tried forever.
  if (claimed.attempts > exportAttemptsMax) await finish(claimed, { state: 'failed', failure: notWritten }, services)
  else await tryWrite(claimed, services, stopping)
  return true
}

async function tryWrite(claimed: ClaimedExport, services: WriterServices, stopping: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const written = { files: 0, people: 0 }
  const stopRenewing = startInterval(() => renew(claimed, services, lost, written), renewEveryMs)
  try {
    const outcome = await writeExport(claimed, services, AbortSignal.any([stopping, lost.signal]), written)
    if (!(await finish(claimed, outcome, services))) await removeWritten(claimed, outcome, services)
  } catch (error) {
    // The row records why an export failed.
    if (stopping.aborted) await release(claimed, services)
    else await handleError(claimed, lost.signal.reason ?? error, services)
  } finally {
    stopRenewing()
  }
}

async function renew(
  claimed: ClaimedExport,
  { db, clock }: WriterServices,
  lost: AbortController,
  { people }: WrittenCounts,
): Promise<void> {
  try {
    if (!(await renewLease(db, claimed, clock.elapsed() + leaseMs, people))) lost.abort(new LeaseLost())
  } catch {
    // The database is unavailable, so no other writer can claim the export either. The next renewal tries again.
  }
}

/** Releases the claim; the attempt does not count. */
async function release(claimed: ClaimedExport, { db }: WriterServices): Promise<void> {
  try {
    await releaseExport(db, claimed, claimed.attempts - 1, null)
  } catch {
    // The database is unavailable: the lease expires by itself.
  }
}

/** Records or retries a failed attempt. */
async function handleError(claimed: ClaimedExport, error: unknown, services: WriterServices): Promise<void> {
  const { db, clock, log } = services
  const { id, attempts } = claimed
  if (error instanceof LeaseLost) return log.warn({ export_id: id }, leaseLostMessage)
  if (error instanceof Failure && error.kind === 'unavailable') {
    await release(claimed, services)
    throw error
  }
  // A stored segment that no longer parses is also a Failure.
  if (error instanceof PermanentError || error instanceof Failure) {
    return void (await finish(claimed, { state: 'failed', failure: error.message }, services))
  }
  log.error({ err: error, export_id: id, attempts }, 'an export could not be written')
  if (attempts >= exportAttemptsMax)
    return void (await finish(claimed, { state: 'failed', failure: notWritten }, services))
  await releaseExport(db, claimed, attempts, clock.elapsed() + retryMs * 2 ** attempts)
}

async function finish(
  claimed: ClaimedExport,
  outcome: ExportOutcome,
  { db, clock, onFinished }: WriterServices,
): Promise<boolean> {
  const nowMs = clock.elapsed()
  const times = { stampUs: clock.stamp(), nowMs, expiresMs: nowMs + expiresAfterMs }
  const isOurs = await finishExport(db, claimed, outcome, times)
  if (isOurs) onFinished(outcome.state)
  return isOurs
}

async function removeWritten(
  { id }: ClaimedExport,
  outcome: ExportOutcome,
  { folder, log }: WriterServices,
): Promise<void> {
  if (outcome.state === 'done') {
    for (const name of [outcome.object, idsName(outcome.object)]) await rm(join(folder, name), { force: true })
  }
  log.warn({ export_id: id }, leaseLostMessage)
}

const leaseLostMessage = 'another process has claimed an export that was being written'
