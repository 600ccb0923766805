import type { DoubleOptIn } from '../../workspace/settings/double-opt-in.ts'
import { sendsDefault, validHoursDefault } from '../../workspace/settings/double-opt-in.ts'
import { type Confirmation, stateOf } from './confirmation.ts'

const hourMs = 3_600_000
/** After a mail or text, a request that anybody can make sends no other one for so long. */
export const resendPauseMs = 5 * 60_000

/** A mail or text that is to be sent: of a new confirmation, or again of the one that waits. */
export type PlannedQuestion = {
  readonly isNew: boolean
  readonly sentCount: number
  readonly expiresMs: number
}

/** Why no other mail or text is sent. `paused`: the last one was sent a moment ago. `exhausted`: there were as many as the group allows. */
export type NoQuestion = 'paused' | 'exhausted'

export type ConfirmationLimits = Pick<DoubleOptIn, 'valid_hours' | 'sends_max'>

/**
 * Decides what a request for a confirmation does. `before`: the row of the person and the group. `isForced`: an administrator asks, who
 * need not wait for the pause. Pure.
 */
export function planRequest(
  before: Pick<Confirmation, 'address' | 'confirmed_at' | 'expires_at' | 'sent_at' | 'sent_count'> | undefined,
  address: string,
  { valid_hours = validHoursDefault, sends_max = sendsDefault }: ConfirmationLimits,
  nowMs: number,
  isForced = false,
): PlannedQuestion | NoQuestion {
  const expiresMs = nowMs + valid_hours * hourMs
  const isWaiting = before !== undefined && stateOf(before, nowMs) === 'pending' && before.address === address
  if (!isWaiting) return { isNew: true, sentCount: 1, expiresMs }
  if (before.sent_count >= sends_max) return 'exhausted'
  if (!isForced && nowMs - before.sent_at.getTime() < resendPauseMs) return 'paused'
  return { isNew: false, sentCount: before.sent_count + 1, expiresMs }
}
