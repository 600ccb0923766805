import { retryAfterOf, saidBy } from '../../../base/fetch/answers.ts'
import type { FetchResponse } from '../../../base/fetch/fetch.ts'
import { FetchError } from '../../../base/fetch/fetch-error.ts'
import { neverConnected } from '../../../base/fetch/never-connected.ts'
import type { TransportOutcome } from '../../messages/transport-outcome.ts'

/** A receiver may ask for a pause with `Retry-After`, up to this one. */
export const askedMsMax = 3_600_000
/** The pause after a receiver has said that it gets too many calls, unless it asks for a longer one. */
const throttledMs = 60_000
const throttledStatus = 429
/** Statuses, besides those from 500, by which the same call may succeed later. */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, throttledStatus])

/**
 * Finds the outcome of a call. Without an answer the receiver may have taken it, unless there was no connection. A call that may have been
 * taken is made again: its key is the same. Redirects are not followed, so they are refusals. Pure.
 */
export function outcomeOfCall(answer: FetchResponse | FetchError): TransportOutcome {
  if (answer instanceof FetchError) return outcomeOfError(answer)
  const { status } = answer
  const response = saidBy(answer)
  if (status >= 200 && status < 300) return { kind: 'accepted', response }
  const reply = { code: status, response }
  if (status >= 500 || laterStatuses.has(status)) {
    const askedMs = Math.min(retryAfterOf(answer), askedMsMax)
    if (status === throttledStatus) return { kind: 'busy', againMs: Math.max(askedMs, throttledMs), response }
    return { kind: 'deferred', throttled: false, ...reply, ...(askedMs > 0 && { askedMs }) }
  }
  return { kind: 'refused', bounce: 'policy', ...reply }
}

function outcomeOfError(error: FetchError): TransportOutcome {
  const { message } = error
  if (neverConnected(error)) return { kind: 'unreached', message }
  if (error.temporary) return { kind: 'uncertain', message }
  const response = error.reason === 'redirects' ? 'it answered with a redirect, which is not followed' : message
  return { kind: 'refused', bounce: 'policy', code: 0, response }
}
