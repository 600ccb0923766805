import { hash } from 'node:crypto'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A message that could not be delivered so long after it was planned is given up, by business time. */
export const retriedForMs = 72 * hourMs

/** The first pause after a delivery that failed; each is twice as long as the one before, up to `pauseMsMax`. */
export const retryPauseMs = {
  /** The server said: later. */
  deferred: 15 * minuteMs,
  /** It was too much at once; such attempts do not count, so this pause does not grow. */
  throttled: 5 * minuteMs,
  /** Nobody answered, or nobody knows. */
  unreached: minuteMs,
} as const
export type RetryKind = keyof typeof retryPauseMs

const pauseMsMax = 12 * hourMs
/** A pause is longer by up to this part of it, so that what failed together does not come back together. */
const jitter = 0.25

export type RetriedMessage = { readonly message_id: string; readonly plannedMs: number; readonly attempts: number }

/**
 * When a message is tried again, epoch milliseconds; the last time when it is `keptMs` old, and after that undefined. `attempts`:
 * those that counted.
 */
export function retryAt(
  { message_id, plannedMs, attempts }: RetriedMessage,
  kind: RetryKind,
  nowMs: number,
): number | undefined {
  const lastMs = plannedMs + retriedForMs
  if (nowMs >= lastMs) return undefined
  const doublings = kind === 'throttled' ? 0 : Math.max(attempts - 1, 0)
  const growing = Math.min(retryPauseMs[kind] * 2 ** doublings, pauseMsMax)
  const longer = 1 + jitter * stableFraction(`${message_id} ${attempts} ${kind}`)
  return Math.min(nowMs + Math.round(growing * longer), lastMs)
}

/** From 0 up to 1, the same for the same text. */
function stableFraction(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0) / 2 ** 32
}
