import type { Clock } from '../../base/clock.ts'
import { beginningOf, retryAfterOf } from '../../base/fetch/answers.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import { FetchError } from '../../base/fetch/fetch-error.ts'
import { tryFetch } from '../../base/fetch/try-fetch.ts'
import { newHiddenId } from '../../base/ids.ts'
import type { NewAttempt } from './delivery-store.ts'
import { type Secrets, signatureHeaders } from './sign.ts'

/** How long a receiver may take for an answer. */
const timeoutMs = 10_000
/** What is stored of an answer that is no success. */
export const answerBytesKept = 500
const goneStatus = 410

export type SendServices = { readonly clock: Pick<Clock, 'elapsed'>; readonly fetcher: Pick<Fetcher, 'fetch'> }

/** An event to send, and where it is in the feed; null for a test. */
export type SentEvent = {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly data: object
  readonly position: string | null
  readonly subject_id: string | null
}

/** How a request ended. `stopped`: the process stops, and the request does not count. */
export type Sent =
  | { readonly outcome: 'delivered'; readonly attempt: NewAttempt }
  | { readonly outcome: 'gone' | 'failed'; readonly attempt: NewAttempt; readonly retryAfterMs: number }
  | { readonly outcome: 'stopped' }

/** Posts one event to a receiver, signed (Standard Webhooks 1.0). Never throws for what the receiver does. */
export async function sendEvent(
  { url, secrets }: { readonly url: string; readonly secrets: Secrets },
  { id, type, timestamp, data, position, subject_id }: SentEvent,
  { clock, fetcher }: SendServices,
  stopping: AbortSignal,
): Promise<Sent> {
  const body = JSON.stringify({ type, timestamp, data })
  const atMs = clock.elapsed()
  const result = await tryFetch(fetcher, url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...signatureHeaders(id, atMs, body, secrets) },
    body,
    timeoutMs,
    redirectsMax: 0,
    signal: stopping,
  })
  const made = {
    ...{ attempt_id: newHiddenId(), event_id: id, type, position, subject_id },
    ...{ atMs, durationMs: clock.elapsed() - atMs },
  }
  if (result instanceof FetchError) {
    if (result.reason === 'closed') return { outcome: 'stopped' }
    const attempt = { ...made, status: null, error: result.message, answer: null }
    return { outcome: 'failed', attempt, retryAfterMs: 0 }
  }
  const { status } = result
  if (status >= 200 && status < 300)
    return { outcome: 'delivered', attempt: { ...made, status, error: null, answer: null } }
  const attempt = { ...made, status, error: `It answered ${status}`, answer: beginningOf(result, answerBytesKept) }
  return { outcome: status === goneStatus ? 'gone' : 'failed', attempt, retryAfterMs: retryAfterOf(result) }
}
