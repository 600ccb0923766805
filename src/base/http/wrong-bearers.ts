import type { Clock } from '../clock.ts'
import { Failure } from '../errors.ts'
import { sourceOf } from './caller-ip.ts'

/** Wrong bearer tokens from one source per window. */
export const wrongBearersMax = 100
export const wrongBearersWindowMs = 60_000
/** Sources that a process counts at a time. With more, the one that has been counted longest is forgotten. */
export const countedSourcesMax = 10_000
/** Characters of a token that nobody can guess. A shorter one is refused, right or wrong, while its source has too many wrong ones. */
export const unguessableCharacters = 32

/** Counts the wrong bearer tokens of each source: an IPv4 address, or 64 bits of an IPv6 address. */
export type WrongBearers = {
  /** Counts a wrong token from this IP address. Throws 429 when there were too many. */
  count(ip: string): void
  /** Throws 429 for a token that could be guessed, when this IP address had too many wrong ones. */
  check(ip: string, token: string): void
}

type Counted = { count: number; readonly endMs: number }

/**
 * Opens the counters, which are in memory and per process. A right token of at least 32 characters is never refused: strangers behind the
 * same address could otherwise take the service from its owner.
 */
export function openWrongBearers(clock: Pick<Clock, 'elapsed'>): WrongBearers {
  const sources = new Map<string, Counted>()
  const currentOf = (source: string): Counted | undefined => {
    const counted = sources.get(source)
    return counted && counted.endMs > clock.elapsed() ? counted : undefined
  }
  const tooMany = ({ endMs }: Counted): Failure =>
    new Failure('rateLimited', 'Too many unknown tokens came from this address', {
      retryAfterS: Math.max(1, Math.ceil((endMs - clock.elapsed()) / 1000)),
    })
  return {
    count(ip) {
      const source = sourceOf(ip)
      const counted = currentOf(source) ?? { count: 0, endMs: clock.elapsed() + wrongBearersWindowMs }
      counted.count++
      if (counted.count === 1) {
        // Deleted first, so that the oldest one is the first of the map.
        sources.delete(source)
        if (sources.size >= countedSourcesMax) sources.delete(sources.keys().next().value!)
        sources.set(source, counted)
      }
      if (counted.count > wrongBearersMax) throw tooMany(counted)
    },
    check(ip, token) {
      if (token.length >= unguessableCharacters || sources.size === 0) return
      const counted = currentOf(sourceOf(ip))
      if (counted && counted.count > wrongBearersMax) throw tooMany(counted)
    },
  }
}
