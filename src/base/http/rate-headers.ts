import { Failure } from '../errors.ts'

export type RateHeaders = {
  readonly 'X-RateLimit-Limit': string
  readonly 'X-RateLimit-Remaining': string
  readonly 'X-RateLimit-Reset': string
}

/** A window of a limit: how many requests it allows, how many of them are left, and when it ends (machine time). */
export type WindowUse = { readonly size: number; readonly remaining: number; readonly endMs: number }

export function headersOf({ size, remaining, endMs }: WindowUse): RateHeaders {
  return {
    'X-RateLimit-Limit': String(size),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(endMs / 1000)),
  }
}

/** Returns the 429 of a full window. */
export function exceeded(use: WindowUse, nowMs: number): Failure {
  const retryAfterS = Math.max(1, Math.ceil((use.endMs - nowMs) / 1000))
  return new Failure('rateLimited', 'Rate limit exceeded', { retryAfterS, headers: headersOf(use) })
}
