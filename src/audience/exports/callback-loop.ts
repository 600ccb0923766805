import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop } from '../../base/work/loop.ts'
import { linkTo, objectName } from './link.ts'
import { type CallbackOutcome, claimCallbacks, type DueCallback, updateCallback } from './store.ts'

export type CallbackServices = {
  db: Db
  clock: Clock
  log: Log
  fetcher: Fetcher
  publicUrl: string
  secret: Buffer
}

/** Callbacks under way at a time. */
const concurrentMax = 10
const timeoutMs = 10_000
const answerBytesMax = 65_536
const checkEveryMs = 1_000
/** A claimed callback of which nobody says how it went is somebody else's. */
const leaseMs = 2 * timeoutMs
/** Pauses after the first, second, ... attempt; after the last attempt there is none. */
const pausesMs: readonly number[] = [1_000, 10_000, 60_000, 600_000]

/** Tells those who asked for it that an export is over: at least once, when they can be told at all. */
export function openCallbackLoop(parts: CallbackServices): Loop {
  const turn = (leaving: AbortSignal) => callDue(parts, leaving)
  return openLoop({ name: 'exports.call', everyMs: checkEveryMs, turn }, parts.log)
}

async function callDue(parts: CallbackServices, leaving: AbortSignal): Promise<boolean> {
  const { db, clock, log } = parts
  const nowMs = clock.elapsed()
  const due = await claimCallbacks(db, concurrentMax, nowMs, nowMs + leaseMs)
  await Promise.all(
    due.map(async (callback) => {
      const told = await call(callback, parts, leaving)
      if (told.failure !== null) log.info({ export: callback.id, refused: told.failure }, 'a callback has failed')
      await updateCallback(db, callback.id, told)
    }),
  )
  return due.length === concurrentMax
}

async function call(callback: DueCallback, parts: CallbackServices, leaving: AbortSignal): Promise<CallbackOutcome> {
  const { clock, fetcher } = parts
  const [answer] = await Promise.allSettled([
    fetcher.fetch(callback.endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(callbackBody(callback, parts)),
      bytesMax: answerBytesMax,
      timeoutMs,
      redirectsMax: 0,
      signal: leaving,
    }),
  ])
  if (answer.status === 'fulfilled' && answer.value.status >= 200 && answer.value.status < 300) {
    return { failure: null, againMs: undefined }
  }
  if (answer.status === 'fulfilled') return failed(`It answered ${answer.value.status}`, callback, clock)
  const { reason } = answer
  if (!(reason instanceof FetchError)) throw reason
  // Whoever is called did nothing wrong when we leave: it is due again at once, even after the last attempt.
  if (reason.reason === 'closed') return { failure: null, againMs: clock.elapsed() }
  return reason.temporary ? failed(reason.message, callback, clock) : { failure: reason.message, againMs: undefined }
}

/** What a callback says (contract 10.1); of a failed export, why. */
export function callbackBody(
  callback: DueCallback,
  { publicUrl, secret }: Pick<CallbackServices, 'publicUrl' | 'secret'>,
): object {
  const { id, state, failure, output_format, expires_at } = callback
  if (state === 'failed') return { success: false, message: failure }
  return { success: true, url: linkTo(publicUrl, objectName(id, output_format), expires_at.getTime(), secret) }
}

function failed(failure: string, { attempts }: DueCallback, clock: Clock): CallbackOutcome {
  const pauseMs = pauseAfter(attempts)
  return { failure, againMs: pauseMs === undefined ? undefined : clock.elapsed() + pauseMs }
}

/** Milliseconds until the next attempt; undefined when there is none. */
export function pauseAfter(attempts: number): number | undefined {
  return pausesMs[attempts - 1]
}
