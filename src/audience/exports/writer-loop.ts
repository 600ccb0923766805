import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backendOf } from '../../base/db/backends.ts'
import { Failure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import { PermanentError } from './archive.ts'
import {
  type ClaimedExport,
  claimExport,
  type ExportOutcome,
  finishExport,
  releaseAllExports,
  releaseExport,
  renewLease,
} from './store.ts'
import { type WriteServices, writeExport } from './write-export.ts'

export type WriterServices = WriteServices & {
  log: Log
  onEnded(state: ExportOutcome['state']): void
}

/** What an export and its links last, by the time of the machine. */
export const expiresAfterMs = 4 * 60 * 60 * 1000

/** An export whose writer has not been heard of for so long is somebody else's. */
const leaseMs = 5_000
const renewEveryMs = 1_000
const checkEveryMs = 1_000
/** Times that an export is begun, kills included, before it is given up. */
export const attemptsMax = 5
const retryMs = 1_000

export const notWritten = 'The export could not be written'

/** Thrown inside an attempt whose export is somebody else's by now. */
class LeaseLost extends Error {}

/** Writes accepted exports, one at a time and the oldest first, whatever happens in between. */
export function openWriter(parts: WriterServices, onEnded: () => void): Loop {
  const { db, log } = parts
  let freed = backendOf(db).isShared
  return openLoop(
    {
      name: 'exports.write',
      everyMs: checkEveryMs,
      async turn(leaving) {
        if (!freed) await releaseAllExports(db)
        freed = true
        const more = await writeNext(parts, leaving)
        if (more) onEnded()
        return more
      },
    },
    log,
  )
}

/** One attempt at the oldest export; false when there is none. */
async function writeNext(parts: WriterServices, leaving: AbortSignal): Promise<boolean> {
  const { db, clock } = parts
  if (leaving.aborted) return false
  const nowMs = clock.elapsed()
  const claimed = await claimExport(db, newUuid(), nowMs, nowMs + leaseMs)
  if (!claimed) return false
  // A process that dies of an export must not die of it for ever.
  if (claimed.attempts > attemptsMax) await finish(claimed, { state: 'failed', failure: notWritten }, parts)
  else await tryWrite(claimed, parts, leaving)
  return true
}

async function tryWrite(claimed: ClaimedExport, parts: WriterServices, leaving: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const holding = setInterval(() => void renew(claimed, parts, lost), renewEveryMs)
  try {
    const ended = await writeExport(claimed, parts, AbortSignal.any([leaving, lost.signal]))
    if (!(await finish(claimed, ended, parts))) await removeWritten(claimed, ended, parts)
  } catch (error) {
    // An export that cannot be written is recorded as failed in its row.
    if (leaving.aborted) await release(claimed, parts)
    else await handleError(claimed, lost.signal.reason ?? error, parts)
  } finally {
    clearInterval(holding)
  }
}

async function renew(claimed: ClaimedExport, { db, clock }: WriterServices, lost: AbortController): Promise<void> {
  const [held] = await Promise.allSettled([renewLease(db, claimed, clock.elapsed() + leaseMs)])
  // While the database is away nobody else can claim it either.
  if (held.status === 'fulfilled' && !held.value) lost.abort(new LeaseLost())
}

/** An attempt that does not count. When the database is away as well, the lease ends by itself. */
async function release(claimed: ClaimedExport, { db }: WriterServices): Promise<void> {
  await Promise.allSettled([releaseExport(db, claimed, claimed.attempts - 1, null)])
}

/** What becomes of an export whose attempt has failed; an attempt that was aborted has its reason. */
async function handleError(claimed: ClaimedExport, error: unknown, parts: WriterServices): Promise<void> {
  const { db, clock, log } = parts
  const { id, attempts } = claimed
  if (error instanceof LeaseLost) return log.warn({ export: id }, 'somebody else has taken over an export')
  if (error instanceof Failure && error.kind === 'unavailable') {
    await release(claimed, parts)
    throw error
  }
  // A segment that cannot be read any more is a Failure too.
  if (error instanceof PermanentError || error instanceof Failure) {
    return void (await finish(claimed, { state: 'failed', failure: error.message }, parts))
  }
  log.error({ err: error, export: id, attempts }, 'an export could not be written')
  if (attempts >= attemptsMax) return void (await finish(claimed, { state: 'failed', failure: notWritten }, parts))
  await releaseExport(db, claimed, attempts, clock.elapsed() + retryMs * 2 ** attempts)
}

async function finish(
  claimed: ClaimedExport,
  ended: ExportOutcome,
  { db, clock, onEnded }: WriterServices,
): Promise<boolean> {
  const nowMs = clock.elapsed()
  const times = { stampUs: clock.stamp(), nowMs, expiresMs: nowMs + expiresAfterMs }
  const isOurs = await finishExport(db, claimed, ended, times)
  if (isOurs) onEnded(ended.state)
  return isOurs
}

async function removeWritten(
  { id }: ClaimedExport,
  ended: ExportOutcome,
  { folder, log }: WriterServices,
): Promise<void> {
  if (ended.state === 'done') await rm(join(folder, ended.object), { force: true })
  log.warn({ export: id }, 'somebody else has taken over an export')
}
