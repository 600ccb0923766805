import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { callbackLeaseMs, postCallback } from '../../base/fetch/post-callback.ts'
import type { Log } from '../../base/log.ts'
import { type Loop, openLoop, type Polls } from '../../base/work/loop.ts'
import { linkTo, objectName } from './link.ts'
import { claimCallbacks, type DueCallback, dueCallbackProbe, updateCallback } from './store.ts'

export type CallbackServices = {
  db: Db
  clock: Clock
  log: Log
  poller?: Polls
  fetcher: Fetcher
  publicUrl: string
  secret: Buffer
}

/** The most callbacks that are sent at the same time. */
const concurrentMax = 10
const checkEveryMs = 1_000

/** Sends the callbacks of finished exports, each at least once. Temporary failures are retried. */
export function openCallbackLoop(services: CallbackServices): Loop {
  const turn = (stopping: AbortSignal) => callDue(services, stopping)
  const { clock, log, poller } = services
  const probe = (aheadMs: number) => dueCallbackProbe(clock.elapsed() + aheadMs)
  return openLoop({ name: 'exports.call', everyMs: checkEveryMs, poller, probe, turn }, log)
}

async function callDue(services: CallbackServices, stopping: AbortSignal): Promise<boolean> {
  const { db, clock, log } = services
  const nowMs = clock.elapsed()
  const due = await claimCallbacks(db, concurrentMax, nowMs, nowMs + callbackLeaseMs)
  await Promise.all(
    due.map(async (callback) => {
      const { endpoint, attempts } = callback
      const body = callbackBody(callback, services)
      const outcome = await postCallback({ endpoint, attempts, body }, services, stopping)
      if (outcome.failure !== null) log.info({ export_id: callback.id, reason: outcome.failure }, 'a callback failed')
      await updateCallback(db, callback.id, outcome)
    }),
  )
  return due.length === concurrentMax
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
