import { createHmac } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { secondsUntilEnd } from '../../base/db/attempt-window.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { sourceOf } from '../../base/http/caller-ip.ts'
import { countSignUp } from './attempt-store.ts'

/** All limits count in windows of an hour, in machine time. */
export const windowMs = 3_600_000
/** Sign-ups of one caller in a window, over all forms of a workspace. */
export const signUpsPerCallerMax = 30
/** Sign-ups for one address in a window, over all forms of a workspace. What is above is answered as usual, and does nothing. */
export const signUpsPerAddressMax = 5

export type LimitServices = { readonly clock: Clock; readonly secret: Buffer }

export type CountedSignUp = {
  readonly workspace_id: number
  readonly form_id: string
  readonly ip: string
  readonly address: string
  /** Sign-ups that the form takes in a window. */
  readonly formMax: number
}

/**
 * Counts a sign-up. Throws 429 when the caller, or everybody together, used the form too often. Returns false when there were too many
 * for the address: then the answer is as usual, so that nobody learns about others.
 */
export async function countSignUps(tx: Tx, counted: CountedSignUp, services: LimitServices): Promise<boolean> {
  const { workspace_id, form_id, ip, address, formMax } = counted
  // The caller is counted first: one who is above the limit uses up nothing of others, and writes no further row.
  await refuseAbove(tx, services, ['caller', workspace_id, sourceOf(ip)], signUpsPerCallerMax)
  const own = await count(tx, services, ['address', workspace_id, address])
  if (own.count > signUpsPerAddressMax) return false
  await refuseAbove(tx, services, ['form', workspace_id, form_id], formMax)
  return true
}

async function refuseAbove(tx: Tx, services: LimitServices, key: readonly unknown[], max: number): Promise<void> {
  const used = await count(tx, services, key)
  if (used.count <= max) return
  const retryAfterS = secondsUntilEnd(used, windowMs, services.clock.elapsed())
  throw new Failure('rateLimited', 'Too many sign-ups', { retryAfterS })
}

/** Keys are hashed, so that the table does not show who signed up. */
function count(tx: Tx, { clock, secret }: LimitServices, key: readonly unknown[]) {
  const nowMs = clock.elapsed()
  const hashed = createHmac('sha256', secret)
    .update(JSON.stringify(['sign-up', ...key]))
    .digest()
  return countSignUp(tx, hashed, nowMs, nowMs - windowMs)
}
