import { Recent } from './recent.ts'

/**
 * Returns a reader of values by key; `nowMs` is machine time. A value is read again when it is older than `maxAgeMs`. Callers that come
 * while it is read wait for the same reading. A reading that fails is not kept. At most `max` values are kept.
 */
export function kept<T>(
  maxAgeMs: number,
  max: number,
): (key: string, nowMs: number, read: () => Promise<T>) => Promise<T> {
  const values = new Recent<string, { readonly value: Promise<T> | undefined; readonly startedMs: number }>(max)
  return (key, nowMs, read) => {
    const last = values.get(key)
    if (last?.value && nowMs - last.startedMs < maxAgeMs) return last.value
    const reading = { value: read(), startedMs: nowMs }
    values.set(key, reading)
    reading.value.catch(() => {
      if (values.get(key) === reading) values.set(key, { value: undefined, startedMs: nowMs })
    })
    return reading.value
  }
}
