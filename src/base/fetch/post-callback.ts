import type { Clock } from '../clock.ts'
import type { Fetcher } from './fetch.ts'
import { FetchError } from './fetch-error.ts'
import { tryFetch } from './try-fetch.ts'

const timeoutMs = 10_000
const answerBytesMax = 65_536
/** After this time without an outcome a claimed callback is due again. */
export const callbackLeaseMs = 2 * timeoutMs
/** The pauses after the first, second, ... attempt. There is none after the last. */
const pausesMs: readonly number[] = [1_000, 10_000, 60_000, 600_000]

/** A callback to post: JSON to a URL of a user. `attempts` includes this one. */
export type Callback = {
  readonly endpoint: string
  readonly attempts: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

/** How posting ended. `againMs`: when it is tried again, machine time; undefined when it is not. */
export type CallbackOutcome = { readonly failure: string | null; readonly againMs: number | undefined }

export type CallbackServices = {
  readonly fetcher: Pick<Fetcher, 'fetch'>
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Posts a callback once. Says when to try again after a temporary failure. */
export async function postCallback(
  { endpoint, attempts, body, headers = {} }: Callback,
  { fetcher, clock }: CallbackServices,
  stopping: AbortSignal,
): Promise<CallbackOutcome> {
  const result = await tryFetch(fetcher, endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    bytesMax: answerBytesMax,
    timeoutMs,
    redirectsMax: 0,
    signal: stopping,
    sendsTrace: true,
  })
  if (!(result instanceof FetchError)) {
    if (result.status >= 200 && result.status < 300) return { failure: null, againMs: undefined }
    return failed(`It answered ${result.status}`, attempts, clock)
  }
  // The process stops, so the server is not the cause: the callback is due again at once, even after the last attempt.
  if (result.reason === 'closed') return { failure: null, againMs: clock.elapsed() }
  return result.temporary ? failed(result.message, attempts, clock) : { failure: result.message, againMs: undefined }
}

function failed(failure: string, attempts: number, clock: Pick<Clock, 'elapsed'>): CallbackOutcome {
  const pauseMs = pauseAfter(attempts)
  return { failure, againMs: pauseMs === undefined ? undefined : clock.elapsed() + pauseMs }
}

/** Returns the milliseconds until the next attempt; undefined when there is none. */
export function pauseAfter(attempts: number): number | undefined {
  return pausesMs[attempts - 1]
}
