import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { countAttempts } from './attempt-store.ts'

export const windowMs = 15 * 60_000
/** The most attempts per window for an address from one network. The owner can still sign in while another network tries the address. */
export const attemptsPerAddressAndNetworkMax = 5
/** The most attempts for an address from all networks. This limits the mails that are sent to it. */
export const attemptsPerAddressMax = 20
/** The most attempts from a network for all addresses. Behind a proxy, all users may share one network. */
export const attemptsPerNetworkMax = 60

const v4Bytes = 3
const v6Bytes = 8

export type ThrottleServices = { readonly clock: Clock; readonly secret: Buffer }

/**
 * Counts an attempt to sign in. Throws 429 when there were too many. Addresses with and without an account are treated alike. `address` is
 * absent when the attempt has none.
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
  const exceeded = counted.filter(({ key, count }) => count > limits.get(key)!)
  if (exceeded.length === 0) return
  const endMs = Math.max(...exceeded.map(({ began_at }) => began_at.getTime())) + windowMs
  throw new Failure('rateLimited', 'Too many attempts to sign in', {
    retryAfterS: Math.max(1, Math.ceil((endMs - nowMs) / 1000)),
  })
}

/** Returns the network that one user can usually change addresses in: 24 bits of IPv4, 64 bits of IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bytes = address.kind() === 'ipv4' ? v4Bytes : v6Bytes
  return `${address.kind()} ${address.toByteArray().slice(0, bytes).join('.')}`
}

/** Keys are hashed, so that the table does not show who tried to sign in. */
function attemptKey(secret: Buffer, ...values: readonly string[]): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sign-in', ...values]))
    .digest('hex')
}
