import { hash } from 'node:crypto'
import type { RetriedMessage, RetryKind } from '../messages/retried-message.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A message that is not delivered this long after it was planned expires, by business time. */
export const retriedForMs = 72 * hourMs

/** The first pause after a failed delivery. Each further pause is twice as long, up to `pauseMsMax`. */
export const retryPauseMs = {
  /** The server deferred the mail. */
  deferred: 15 * minuteMs,
  /** The server complained about the rate. Such attempts do not count, so this pause does not grow. */
  throttled: 5 * minuteMs,
  /** The server could not be reached, or the outcome is uncertain. */
  unreached: minuteMs,
} as const satisfies Readonly<Partial<Record<RetryKind, number>>>

const pauseMsMax = 12 * hourMs
/** A pause is longer by up to this fraction, so that mails that failed together are not retried together. */
const jitter = 0.25

/**
 * Returns when a message is tried again, epoch milliseconds. The last attempt is `retriedForMs` after the planned time; after that the
 * result is undefined. `attempts` are those that count. The server wants at least `askedMs`.
 */
export function retryAt(
  { message_id, plannedMs, attempts }: RetriedMessage,
  kind: RetryKind,
  nowMs: number,
  askedMs = 0,
): number | undefined {
  const lastMs = plannedMs + retriedForMs
  if (nowMs >= lastMs) return undefined
  if (kind === 'busy' || kind === 'waiting') return Math.min(nowMs + askedMs, lastMs)
  const doublings = kind === 'throttled' ? 0 : Math.max(attempts - 1, 0)
  const growing = Math.min(retryPauseMs[kind] * 2 ** doublings, pauseMsMax)
  const longer = 1 + jitter * stableFraction(`${message_id} ${attempts} ${kind}`)
  return Math.min(nowMs + Math.max(Math.round(growing * longer), askedMs), lastMs)
}

/** Returns a fraction from 0 to below 1, always the same for a text. */
function stableFraction(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) / 2 ** 32
}
