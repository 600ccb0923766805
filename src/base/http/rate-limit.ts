import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import { Failure } from '../errors.ts'
import {
  defaultLimits,
  type LimitName,
  type RateLimit,
  type RateLimits,
  type RateWindow,
  rateWindows,
} from './limits.ts'
import { deleteOldWindows, takeFromWindow, type WindowKey } from './rate-store.ts'

/** Up to this limit every request is counted in the database, so that several processes together are exact. */
const exactMax = 1000
/** A process takes larger limits from the database in this many chunks, so that few requests need a query. */
const chunks = 100

export type RateHeaders = {
  readonly 'X-RateLimit-Limit': string
  readonly 'X-RateLimit-Remaining': string
  readonly 'X-RateLimit-Reset': string
}

export type RateLimiter = {
  /**
   * Counts one request of a workspace. Returns the headers of the longest window, undefined when the group is unlimited.
   * Throws 429 with `Retry-After` when a window is full.
   */
  take(workspace_id: number, name: LimitName): Promise<RateHeaders | undefined>
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

  function leaseOf(workspace_id: number, name: string, size: number, lengthMs: number): Lease {
    const id = `${workspace_id}/${name}`
    const startMs = Math.floor(clock.elapsed() / lengthMs) * lengthMs
    let lease = leases.get(id)
    if (lease?.key.startMs !== startMs || lease.size !== size) {
      const key = { workspace_id, name, startMs, lengthMs }
      lease = { key, size, left: 0, used: 0, full: false, waiting: 0 }
      leases.set(id, lease)
    }
    return lease
  }

  return {
    async take(workspace_id, name) {
      const limit: RateLimit = limitsOf(workspace_id)[name] ?? defaultLimits[name]
      if (limit === 'unlimited') return undefined
      let longest: Lease | undefined
      // The shortest window first: a request that it refuses must not count in the longer ones.
      for (const window of Object.keys(rateWindows) as RateWindow[]) {
        const size = limit[window]
        if (size === undefined) continue
        longest = leaseOf(workspace_id, `${name}/${window}`, size, rateWindows[window])
        await takeOne(db, longest, clock)
      }
      return longest && headersOf(longest)
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
  if (lease.left === 0) throw exceeded(lease, clock)
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

function exceeded(lease: Lease, clock: Clock): Failure {
  const retryAfterS = Math.max(1, Math.ceil((lease.key.startMs + lease.key.lengthMs - clock.elapsed()) / 1000))
  return new Failure('rateLimited', 'Rate limit exceeded', { retryAfterS, headers: headersOf(lease) })
}

function headersOf({ key, size, used, left }: Lease): RateHeaders {
  return {
    'X-RateLimit-Limit': String(size),
    'X-RateLimit-Remaining': String(size - used + left),
    'X-RateLimit-Reset': String(Math.ceil((key.startMs + key.lengthMs) / 1000)),
  }
}
