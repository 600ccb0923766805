import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Clock } from '../../base/clock.ts'
import { secondsUntilEnd } from '../../base/db/attempt-window.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { countAttempt } from './attempt-store.ts'

export const windowMs = 15 * 60_000
/**
 * Requests per window from one network for a link to one address. There is no limit for an address from all networks: strangers could use
 * it up. `links.ts` limits the mails to one account.
 */
export const requestsPerAddressAndNetworkMax = 5
/** Requests per window from one network for links to any address. */
export const requestsPerNetworkMax = 60
/** Failed sign-ins per window from one network. After them, only the answers to further failures change. */
export const failuresPerNetworkMax = 60

const v4Bytes = 3
const v6Bytes = 8

export type ThrottleServices = { readonly clock: Clock; readonly secret: Buffer }

/** Counts a request for a link. Throws 429 when there were too many. Addresses with and without an account are treated alike. */
export async function countLinkRequest(
  tx: Tx,
  services: ThrottleServices,
  { ip, address }: { readonly ip: string; readonly address: string },
): Promise<void> {
  const network = networkOf(ip)
  // The network is counted first: a network that is over its limit writes no row for each address it names.
  await count(tx, services, ['request', network], requestsPerNetworkMax)
  await count(tx, services, ['request', network, address.toLowerCase()], requestsPerAddressAndNetworkMax)
}

/**
 * Counts a sign-in that has failed, by a link or by the identity provider. Throws 429 when its network had too many. It is called after the
 * failure, so a valid link or answer is never refused for its network.
 */
export function countFailedSignIn(tx: Tx, services: ThrottleServices, ip: string): Promise<void> {
  return count(tx, services, ['failure', networkOf(ip)], failuresPerNetworkMax)
}

/** Uses an attempt to sign in by the identity provider. Returns whether it was unused. Its row is kept longer than the attempt is valid. */
export async function useAttempt(tx: Tx, { clock, secret }: ThrottleServices, state: string): Promise<boolean> {
  const nowMs = clock.elapsed()
  return (await countAttempt(tx, attemptKey(secret, ['attempt', state]), nowMs, nowMs - windowMs)).count === 1
}

async function count(
  tx: Tx,
  { clock, secret }: ThrottleServices,
  counted: readonly string[],
  max: number,
): Promise<void> {
  const nowMs = clock.elapsed()
  const attempts = await countAttempt(tx, attemptKey(secret, counted), nowMs, nowMs - windowMs)
  if (attempts.count <= max) return
  const retryAfterS = secondsUntilEnd(attempts, windowMs, nowMs)
  throw new Failure('rateLimited', 'Too many attempts to sign in', { retryAfterS })
}

/** Returns the network that one user can usually change addresses in: 24 bits of IPv4, 64 bits of IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  const bytes = address.kind() === 'ipv4' ? v4Bytes : v6Bytes
  return `${address.kind()} ${address.toByteArray().slice(0, bytes).join('.')}`
}

/** Keys are hashed, so that the table does not show who tried to sign in. */
function attemptKey(secret: Buffer, counted: readonly string[]): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sign-in', ...counted]))
    .digest()
}
