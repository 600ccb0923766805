import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { openAddressLimits } from './address-limits.ts'
import {
  defaultLimits,
  type LimitName,
  type RateLimit,
  type RateLimits,
  type RateWindow,
  rateWindows,
  sharedKeyLimits,
} from './limits.ts'
import { exceeded, headersOf, type RateHeaders, type WindowUse } from './rate-headers.ts'
import { deleteOldWindows, takeFromWindow, type WindowKey } from './rate-store.ts'

/** Up to this limit every request is counted in the database, so that several processes together are exact. */
const exactMax = 1000
/** A process takes larger limits from the database in this many chunks, so that few requests need a query. */
const chunks = 100
/** With more leases than this, those of windows that have ended are forgotten: some may be of API keys that were deleted. */
const leasesMax = 1_000

/** Who makes a request: the id of its API key, and its IP address. */
export type LimitedCaller = { readonly id: string; readonly ip: string }

export type RateLimiter = {
  /**
   * Counts one request of a workspace, or of an API key in a group of `sharedKeyLimits`. Returns the headers of the longest window,
   * undefined when the group is unlimited. Throws 429 with `Retry-After` when a window is full.
   */
  take(workspace_id: number, name: LimitName, caller: LimitedCaller): Promise<RateHeaders | undefined>
}

export type RateLimiterServices = {
  db: Db
  clock: Clock
  /** `settings.rate_limits` of a workspace. */
  limitsOf(workspace_id: number): RateLimits
}

/**
 * The share of this process in one window. `left`: granted requests that it has not used · `used`: requests that all processes had counted
 * at its last query.
 */
type Lease = {
  key: WindowKey
  size: number
  left: number
  used: number
  full: boolean
  waiting: number
  asking?: Promise<void>
}

/** Opens the limits per workspace and group of endpoints, in windows of machine time, which all processes on one database share. */
export function openRateLimiter({ db, clock, limitsOf }: RateLimiterServices): RateLimiter {
  const leases = new Map<string, Lease>()
  const addresses = openAddressLimits(clock)

  function leaseOf(workspace_id: number, name: string, size: number, lengthMs: number): Lease {
    const id = `${workspace_id}/${name}`
    const startMs = Math.floor(clock.elapsed() / lengthMs) * lengthMs
    let lease = leases.get(id)
    if (lease?.key.startMs !== startMs || lease.size !== size) {
      const key = { workspace_id, name, startMs, lengthMs }
      lease = { key, size, left: 0, used: 0, full: false, waiting: 0 }
      leases.set(id, lease)
      if (leases.size > leasesMax) forgetEnded(leases, clock.elapsed())
    }
    return lease
  }

  const limitOf = (workspace_id: number, name: LimitName): RateLimit => {
    return limitsOf(workspace_id)[name] ?? defaultLimits[name]
  }

  return {
    async take(workspace_id, name, caller) {
      const shared = sharedKeyLimits[name]
      // Before the limit of the key: requests that are refused for their address must not use it up.
      if (shared) addresses.take(caller.id, caller.ip, limitOf(workspace_id, shared.address))
      const limit = limitOf(workspace_id, name)
      if (limit === 'unlimited') return undefined
      const counted = shared ? `${name}/${caller.id}` : name
      let longest: Lease | undefined
      // The shortest window first: a request that it refuses must not count in the longer ones.
      for (const window of Object.keys(rateWindows) as RateWindow[]) {
        const size = limit[window]
        if (size === undefined) continue
        longest = leaseOf(workspace_id, `${counted}/${window}`, size, rateWindows[window])
        await takeOne(db, longest, clock)
      }
      return longest && headersOf(useOf(longest))
    },
  }
}

async function takeOne(db: Db, lease: Lease, clock: Clock): Promise<void> {
  lease.waiting++
  try {
    while (lease.left === 0 && !lease.full) {
      lease.asking ??= extend(db, lease).finally(() => {
        lease.asking = undefined
      })
      await lease.asking
    }
  } finally {
    lease.waiting--
  }
  if (lease.left === 0) throw exceeded(useOf(lease), clock.elapsed())
  lease.left--
}

async function extend(db: Db, lease: Lease): Promise<void> {
  const { key, size } = lease
  const fresh = lease.used === 0
  const chunk = size <= exactMax ? 1 : Math.ceil(size / chunks)
  const want = Math.max(chunk, lease.waiting)
  const before = await takeFromWindow(db, key, want, size)
  if (before === undefined) {
    lease.full = true
    lease.used = size
    return
  }
  lease.left += Math.min(want, size - before)
  lease.used = Math.min(size, before + want)
  if (fresh) await deleteOldWindows(db, key)
}

function forgetEnded(leases: Map<string, Lease>, nowMs: number): void {
  for (const [id, { key }] of leases) if (key.startMs + key.lengthMs <= nowMs) leases.delete(id)
}

function useOf({ key, size, used, left }: Lease): WindowUse {
  return { size, remaining: size - used + left, endMs: key.startMs + key.lengthMs }
}
