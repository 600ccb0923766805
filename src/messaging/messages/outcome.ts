import { type Reason, reasons } from '../ledger/reasons.ts'
import type { LeasedMessage } from './message.ts'
import { type EndState, endStateOf } from './states.ts'
/** Why a message ends, for the ledger. */
export type EndReason = {
  readonly reason: Reason
  readonly rule?: string
  readonly inputs?: unknown
}

/** What becomes of a message that was leased. */
export type MessageOutcome =
  | ({
      readonly ends: true
      readonly state: EndState
      readonly response?: string
      readonly warnings?: readonly string[]
    } & EndReason)
  | {
      readonly ends: false
      readonly state: 'queued' | 'held'
      /** When it is tried next, epoch milliseconds; when it was due before, where absent. */
      readonly dueMs?: number
      readonly attempts: number
      readonly room: number
      readonly response?: string
      /** A server may have it: from now on it is sent again or ends as uncertain. */
      readonly doubted?: boolean
    }

/** A message ends where it stands, without having been handed over. */
export function endFor(why: EndReason): MessageOutcome {
  return { ends: true, state: endStateOf(why.reason), ...why }
}

/**
 * Why a message ends that a server may have had before: nobody knows whether it arrived, whatever keeps it from being sent again. `why`:
 * what does.
 */
export function uncertainBecause({ reason, rule, inputs }: EndReason): EndReason & { readonly rule: string } {
  return {
    reason: 'uncertain',
    rule: `a server may have it from before; it was not sent again: ${rule ?? reasons[reason]}`,
    inputs: { not_sent_again: reason, ...(typeof inputs === 'object' && inputs) },
  }
}

/** The outcome that is true of a message: one that a server may have had ends as sent or as uncertain. */
export function reconcileOutcome(
  { doubted: isDoubted }: Pick<LeasedMessage, 'doubted'>,
  outcome: MessageOutcome,
): MessageOutcome {
  if (!isDoubted || !outcome.ends || outcome.reason === 'sent' || outcome.reason === 'uncertain') return outcome
  return { ...outcome, ...uncertainBecause(outcome), state: 'uncertain' }
}

/** A message waits again as if nobody had taken it: the attempt does not count. */
export function requeue({ attempts, room }: LeasedMessage): MessageOutcome {
  return { ends: false, state: 'queued', attempts: Math.max(attempts - 1, 0), room }
}

/** A message of a paused dispatch or flow. */
export function holdBack({ attempts, room }: LeasedMessage): MessageOutcome {
  return { ends: false, state: 'held', attempts: Math.max(attempts - 1, 0), room: Math.min(room, 0) }
}

/** A message waits for its place among others. */
export function postpone({ attempts }: LeasedMessage, dueMs: number, room: number): MessageOutcome {
  return { ends: false, state: 'queued', dueMs, attempts: Math.max(attempts - 1, 0), room }
}

/** A message and what becomes of it. */
export type MessageResult = { readonly message: LeasedMessage; readonly outcome: MessageOutcome }
