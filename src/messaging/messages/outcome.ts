import { type EndState, endStateOf } from '../ledger/end-states.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import type { LeasedMessage } from './message.ts'

/** Why a message ends, for the ledger. */
export type EndReason = {
  readonly reason: Reason
  readonly rule?: string
  readonly inputs?: unknown
}

/** The outcome of a leased message: it ends, or it waits again. */
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
      /** When it is tried next, epoch milliseconds. Absent: when it was due before. */
      readonly dueMs?: number
      readonly attempts: number
      readonly rates_granted: number
      readonly response?: string
      /** As in `LeasedMessage`. Absent: as before. */
      readonly crashes?: number
      /** A server may have taken it: it is sent again, or ends as uncertain. */
      readonly maybe_sent?: boolean
    }

/** Ends a message that was not handed over. */
export function endFor(why: EndReason): MessageOutcome {
  return { ends: true, state: endStateOf(why.reason), ...why }
}

/**
 * Explains the end of a message that a server may have taken earlier: it is uncertain whether it arrived. `reason` and `rule` say why it is
 * not sent again.
 */
export function uncertainBecause({ reason, rule, inputs }: EndReason): EndReason & { readonly rule: string } {
  return {
    reason: 'uncertain',
    rule: `a server may have taken it earlier, so it was not sent again: ${rule ?? reasons[reason]}`,
    inputs: { not_sent_again: reason, ...(typeof inputs === 'object' && inputs) },
  }
}

/** Corrects the outcome of a message that a server may have taken earlier: it ends as sent or as uncertain. */
export function reconcileOutcome(
  { maybe_sent: maybeSent }: Pick<LeasedMessage, 'maybe_sent'>,
  outcome: MessageOutcome,
): MessageOutcome {
  if (!maybeSent || !outcome.ends || outcome.reason === 'sent' || outcome.reason === 'uncertain') return outcome
  return { ...outcome, ...uncertainBecause(outcome), state: 'uncertain' }
}

/** Queues a message again without counting the attempt. */
export function requeue({ attempts, rates_granted }: LeasedMessage): MessageOutcome {
  return { ends: false, state: 'queued', attempts: Math.max(attempts - 1, 0), rates_granted }
}

/** Holds a message of a paused order or flow. */
export function holdBack({ attempts, rates_granted }: LeasedMessage): MessageOutcome {
  return { ends: false, state: 'held', attempts: Math.max(attempts - 1, 0), rates_granted: Math.min(rates_granted, 0) }
}

/** Queues a message again at a later time without counting the attempt. */
export function postpone({ attempts }: LeasedMessage, dueMs: number, rates_granted: number): MessageOutcome {
  return { ends: false, state: 'queued', dueMs, attempts: Math.max(attempts - 1, 0), rates_granted }
}

/** A message and its outcome. */
export type MessageResult = { readonly message: LeasedMessage; readonly outcome: MessageOutcome }
