import type { Outcome } from './answer.ts'

/** No pause is longer, whatever the service asks for. */
export const pauseMsMax = 60_000
/** The first pause when the service names none; each further one is twice as long. */
export const firstPauseMs = 250

/** `isRepeatable`: sending it twice has the effect of once. `hasKey`: it has an `Idempotency-Key`. */
export type RepeatRule = { readonly isRepeatable: boolean; readonly hasKey: boolean }

/** Returns how long to wait before the next attempt, in milliseconds; undefined when the outcome is final. */
export function pauseAfter(
  outcome: Outcome,
  attempt: number,
  { isRepeatable, hasKey }: RepeatRule,
): number | undefined {
  const usualMs = Math.min(firstPauseMs * 2 ** (attempt - 1), pauseMsMax)
  if ('lost' in outcome) return isRepeatable ? usualMs : undefined
  const { status, headers } = outcome
  const asked = secondsAsked(headers)
  const askedMs = asked === undefined ? usualMs : Math.min(Math.max(asked, 0) * 1000, pauseMsMax)
  // A request that was refused for its rate had no effect.
  if (status === 429) return askedMs
  if (status === 503) return isRepeatable ? askedMs : undefined
  // The first request with this key is still being processed. Other conflicts have no Retry-After.
  if (status === 409 && hasKey && headers.has('retry-after')) return askedMs
  return undefined
}

/** Reads `Retry-After`, otherwise the end of the window in `X-RateLimit-Reset`, against the clock of the service. */
function secondsAsked(headers: Headers): number | undefined {
  const after = numberIn(headers.get('retry-after'))
  if (after !== undefined) return after
  const endS = numberIn(headers.get('x-ratelimit-reset'))
  const dateMs = Date.parse(headers.get('date') ?? '')
  return endS === undefined || Number.isNaN(dateMs) ? undefined : endS - dateMs / 1000
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined
}
