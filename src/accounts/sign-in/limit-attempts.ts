import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { countAttempts } from './attempt-store.ts'

export const windowMs = 15 * 60_000
/** Attempts in a window: of an address from one network, so that others can still sign in while somebody tries an address. */
export const attemptsPerAddressAndNetworkMax = 5
/** Of an address from anywhere: how many mails it may be sent. */
export const attemptsPerAddressMax = 20
/** From a network, whatever the address. Behind a proxy everybody shares one. */
export const attemptsPerNetworkMax = 60

const v4Bytes = 3
const v6Bytes = 8

export type ThrottleServices = { readonly clock: Clock; readonly secret: Buffer }

/**
 * Counts an attempt to sign in. Throws 429 when there were too many: the same for addresses that have an account and for those that
 * have none. `address` is absent where the attempt names none.
 */
export async function countAttempt(
  tx: Tx,
  { clock, secret }: ThrottleServices,
  ip: string,
  address?: string,
): Promise<void> {
  const network = networkOf(ip)
  const name = address?.toLowerCase()
  const limits = new Map([[attemptKey(secret, 'network', network), attemptsPerNetworkMax]])
  if (name !== undefined) {
    limits.set(attemptKey(secret, 'address', name), attemptsPerAddressMax)
    limits.set(attemptKey(secret, 'both', network, name), attemptsPerAddressAndNetworkMax)
  }
  const nowMs = clock.elapsed()
  const counted = await countAttempts(tx, [...limits.keys()].sort(), nowMs, nowMs - windowMs)
  const over = counted.filter(({ key, count }) => count > limits.get(key)!)
  if (over.length === 0) return
  const endMs = Math.max(...over.map(({ began_at }) => began_at.getTime())) + windowMs
  throw new Failure('rateLimited', 'Too many attempts to sign in', {
    retryAfterS: Math.max(1, Math.ceil((endMs - nowMs) / 1000)),
  })
}

/** What is likely one line or one house: an IPv4 network of 24 bits, an IPv6 network of 64. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bytes = address.kind() === 'ipv4' ? v4Bytes : v6Bytes
  return `${address.kind()} ${address.toByteArray().slice(0, bytes).join('.')}`
}

/** Nobody reads from the table who tried to sign in. */
function attemptKey(secret: Buffer, ...parts: readonly string[]): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sign-in', ...parts]))
    .digest('hex')
}
