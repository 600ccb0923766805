/** The pauses after the first, second, ... failure in a row. The last one repeats. */
const pausesMs: readonly number[] = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000]
/** A receiver may ask for a longer pause with `Retry-After`, up to this one. */
export const pauseMsMax = 3_600_000
/** A webhook that only fails for this long is set aside: three days. */
export const setAsideAfterMs = 3 * 24 * 60 * 60 * 1000

export type AfterFailure = {
  readonly failures: number
  readonly failingSinceMs: number
  readonly dueMs: number
  /** Whether the webhook is set aside. */
  readonly setsAside: boolean
}

/**
 * Decides what follows a failed attempt. `failures` and `failingSinceMs` are those before it. `retryAfterMs`: the pause that the receiver
 * asked for. Times are machine time. Pure.
 */
export function afterFailure(
  { failures, failingSinceMs }: { readonly failures: number; readonly failingSinceMs: number | undefined },
  nowMs: number,
  retryAfterMs = 0,
): AfterFailure {
  const sinceMs = failingSinceMs ?? nowMs
  const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)]!
  return {
    failures: failures + 1,
    failingSinceMs: sinceMs,
    dueMs: nowMs + Math.min(Math.max(pauseMs, retryAfterMs), pauseMsMax),
    setsAside: nowMs - sinceMs >= setAsideAfterMs,
  }
}
