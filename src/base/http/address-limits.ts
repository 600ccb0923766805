import type { Clock } from '../clock.ts'
import { sourceOf } from './caller-ip.ts'
import { type RateLimit, type RateWindow, rateWindows } from './limits.ts'
import { exceeded, type WindowUse } from './rate-headers.ts'

/** Windows of addresses that a process counts at a time. With more, the one that has been idle longest is forgotten. */
export const countedAddressWindowsMax = 50_000

/** Limits each address among the callers who share one API key: an IPv4 address, or 64 bits of an IPv6 address. */
export type AddressLimits = {
  /** Counts one request of an address with a key. Throws 429 with `Retry-After` when a window is full. */
  take(key_id: string, ip: string, limit: RateLimit): void
}

/** Opens the counters, which are in memory and per process: a row for each address would be as much work as the request. */
export function openAddressLimits(clock: Pick<Clock, 'elapsed'>): AddressLimits {
  const windows = new Map<string, { readonly startMs: number; used: number }>()

  function useOf(id: string, startMs: number): { used: number } {
    const known = windows.get(id)
    windows.delete(id)
    if (windows.size >= countedAddressWindowsMax) windows.delete(windows.keys().next().value!)
    const use = known?.startMs === startMs ? known : { startMs, used: 0 }
    // Stored again, so that the first one of the map has been idle longest.
    windows.set(id, use)
    return use
  }

  return {
    take(key_id, ip, limit) {
      if (limit === 'unlimited') return
      const source = sourceOf(ip)
      const nowMs = clock.elapsed()
      // The shortest window first: a request that it refuses must not count in the longer ones.
      for (const window of Object.keys(rateWindows) as RateWindow[]) {
        const size = limit[window]
        if (size === undefined) continue
        const lengthMs = rateWindows[window]
        const startMs = Math.floor(nowMs / lengthMs) * lengthMs
        const use = useOf(`${key_id} ${source} ${window}`, startMs)
        const full: WindowUse = { size, remaining: 0, endMs: startMs + lengthMs }
        if (use.used >= size) throw exceeded(full, nowMs)
        use.used++
      }
    },
  }
}
