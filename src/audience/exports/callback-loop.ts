import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../base/fetch/try-fetch.ts'
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

/** The most callbacks that are sent at the same time. */
const concurrentMax = 10
const timeoutMs = 10_000
const answerBytesMax = 65_536
const checkEveryMs = 1_000
/** After this time without an outcome a claimed callback is due again. */
const leaseMs = 2 * timeoutMs
/** The pauses after the first, second, ... attempt. There is none after the last. */
const pausesMs: readonly number[] = [1_000, 10_000, 60_000, 600_000]

/** Sends the callbacks of finished exports, each at least once. Temporary failures are retried. */
export function openCallbackLoop(services: CallbackServices): Loop {
  const turn = (stopping: AbortSignal) => callDue(services, stopping)
  return openLoop({ name: 'exports.call', everyMs: checkEveryMs, turn }, services.log)
}

async function callDue(services: CallbackServices, stopping: AbortSignal): Promise<boolean> {
  const { db, clock, log } = services
  const nowMs = clock.elapsed()
  const due = await claimCallbacks(db, concurrentMax, nowMs, nowMs + leaseMs)
  await Promise.all(
    due.map(async (callback) => {
      const outcome = await call(callback, services, stopping)
      if (outcome.failure !== null) log.info({ export: callback.id, reason: outcome.failure }, 'a callback failed')
      await updateCallback(db, callback.id, outcome)
    }),
  )
  return due.length === concurrentMax
}

async function call(
  callback: DueCallback,
  services: CallbackServices,
  stopping: AbortSignal,
): Promise<CallbackOutcome> {
  const { clock, fetcher } = services
  const result = await tryFetch(fetcher, callback.endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(callbackBody(callback, services)),
    bytesMax: answerBytesMax,
    timeoutMs,
    redirectsMax: 0,
    signal: stopping,
  })
  if (!(result instanceof FetchError)) {
    if (result.status >= 200 && result.status < 300) return { failure: null, againMs: undefined }
    return failed(`It answered ${result.status}`, callback, clock)
  }
  // The process stops, so the server is not the cause: the callback is due again at once, even after the last attempt.
  if (result.reason === 'closed') return { failure: null, againMs: clock.elapsed() }
  return result.temporary ? failed(result.message, callback, clock) : { failure: result.message, againMs: undefined }
}

/** Returns the body of a callback (contract 10.1). For a failed export, it has the reason. */
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

/** Returns the milliseconds until the next attempt; undefined when there is none. */
export function pauseAfter(attempts: number): number | undefined {
  return pausesMs[attempts - 1]
}
