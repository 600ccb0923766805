import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backendOf } from '../../base/db/backends.ts'
import { Failure } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import { Hopeless } from './archive.ts'
import { type Claimed, claimExport, type Ended, endExport, holdExport, releaseAll, releaseExport } from './store.ts'
import { type WriteParts, writeExport } from './write.ts'

export type WriterParts = WriteParts & {
  log: Log
  onEnded(state: Ended['state']): void
}

/** What an export and its links last, by the time of the machine. */
export const expiresAfterMs = 4 * 60 * 60 * 1000

/** An export whose writer has not been heard of for so long is somebody else's. */
const leaseMs = 5_000
const holdEveryMs = 1_000
const lookEveryMs = 1_000
/** Times that an export is begun, kills included, before it is given up. */
export const attemptsMax = 5
const retryMs = 1_000

export const notWritten = 'The export could not be written'

/** Thrown inside an attempt whose export is somebody else's by now. */
class LeaseLost extends Error {}

/** Writes accepted exports, one at a time and the oldest first, whatever happens in between. */
export function openWriter(parts: WriterParts, onEnded: () => void): Loop {
  const { db, log } = parts
  let freed = backendOf(db).isShared
  return openLoop(
    {
      name: 'exports.write',
      everyMs: lookEveryMs,
      async turn(leaving) {
        if (!freed) await releaseAll(db)
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
async function writeNext(parts: WriterParts, leaving: AbortSignal): Promise<boolean> {
  const { db, clock } = parts
  if (leaving.aborted) return false
  const nowMs = clock.elapsed()
  const claimed = await claimExport(db, newUuid(), nowMs, nowMs + leaseMs)
  if (!claimed) return false
  // A process that dies of an export must not die of it for ever.
  if (claimed.attempts > attemptsMax) await end(claimed, { state: 'failed', failure: notWritten }, parts)
  else await attempt(claimed, parts, leaving)
  return true
}

async function attempt(claimed: Claimed, parts: WriterParts, leaving: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const holding = setInterval(() => void hold(claimed, parts, lost), holdEveryMs)
  try {
    const ended = await writeExport(claimed, parts, AbortSignal.any([leaving, lost.signal]))
    if (!(await end(claimed, ended, parts))) await removeWritten(claimed, ended, parts)
  } catch (error) {
    // An export that cannot be written is recorded as failed in its row.
    if (leaving.aborted) await giveBack(claimed, parts)
    else await settle(claimed, lost.signal.reason ?? error, parts)
  } finally {
    clearInterval(holding)
  }
}

async function hold(claimed: Claimed, { db, clock }: WriterParts, lost: AbortController): Promise<void> {
  const [held] = await Promise.allSettled([holdExport(db, claimed, clock.elapsed() + leaseMs)])
  // While the database is away nobody else can claim it either.
  if (held.status === 'fulfilled' && !held.value) lost.abort(new LeaseLost())
}

/** An attempt that does not count. When the database is away as well, the lease ends by itself. */
async function giveBack(claimed: Claimed, { db }: WriterParts): Promise<void> {
  await Promise.allSettled([releaseExport(db, claimed, claimed.attempts - 1, null)])
}

/** What becomes of an export whose attempt has failed; an attempt that was aborted has its reason. */
async function settle(claimed: Claimed, error: unknown, parts: WriterParts): Promise<void> {
  const { db, clock, log } = parts
  const { id, attempts } = claimed
  if (error instanceof LeaseLost) return log.warn({ export: id }, 'somebody else has taken over an export')
  if (error instanceof Failure && error.kind === 'unavailable') {
    await giveBack(claimed, parts)
    throw error
  }
  // A segment that cannot be read any more is a Failure too.
  if (error instanceof Hopeless || error instanceof Failure) {
    return void (await end(claimed, { state: 'failed', failure: error.message }, parts))
  }
  log.error({ err: error, export: id, attempts }, 'an export could not be written')
  if (attempts >= attemptsMax) return void (await end(claimed, { state: 'failed', failure: notWritten }, parts))
  await releaseExport(db, claimed, attempts, clock.elapsed() + retryMs * 2 ** attempts)
}

async function end(claimed: Claimed, ended: Ended, { db, clock, onEnded }: WriterParts): Promise<boolean> {
  const nowMs = clock.elapsed()
  const times = { stampUs: clock.stamp(), nowMs, expiresMs: nowMs + expiresAfterMs }
  const isOurs = await endExport(db, claimed, ended, times)
  if (isOurs) onEnded(ended.state)
  return isOurs
}

async function removeWritten({ id }: Claimed, ended: Ended, { folder, log }: WriterParts): Promise<void> {
  if (ended.state === 'done') await rm(join(folder, ended.object), { force: true })
  log.warn({ export: id }, 'somebody else has taken over an export')
}
