import type { Clock } from '../clock.ts'

/**
 * Returns a reader of a value that is read again when it is older than `maxAgeMs` of machine time. Callers that come while it is read wait
 * for the same reading. A reading that fails is not kept.
 */
export function cached<T>(read: () => Promise<T>, maxAgeMs: number, clock: Pick<Clock, 'elapsed'>): () => Promise<T> {
  let last: { readonly value: Promise<T>; readonly startedMs: number } | undefined
  return () => {
    const nowMs = clock.elapsed()
    if (last === undefined || nowMs - last.startedMs >= maxAgeMs) {
      const reading = { value: read(), startedMs: nowMs }
      last = reading
      reading.value.catch(() => {
        if (last === reading) last = undefined
      })
    }
    return last.value
  }
}
