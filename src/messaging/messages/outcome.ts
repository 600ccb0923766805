import { type Reason, reasons } from '../ledger/reasons.ts'
import type { Leased } from './message.ts'
import { type End, endedWith } from './states.ts'
/** Why a message ends, for the ledger. */
export type Why = {
  readonly reason: Reason
  readonly rule?: string
  readonly inputs?: unknown
}

/** What becomes of a message that was leased. */
export type Verdict =
  | ({
      readonly ends: true
      readonly state: End
      readonly response?: string
      readonly warnings?: readonly string[]
    } & Why)
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
export function ended(why: Why): Verdict {
  return { ends: true, state: endedWith(why.reason), ...why }
}

/**
 * Why a message ends that a server may have had before: nobody knows whether it arrived, whatever keeps it from being sent again. `why`:
 * what does.
 */
export function inDoubt({ reason, rule, inputs }: Why): Why & { readonly rule: string } {
  return {
    reason: 'uncertain',
    rule: `a server may have it from before; it was not sent again: ${rule ?? reasons[reason]}`,
    inputs: { not_sent_again: reason, ...(typeof inputs === 'object' && inputs) },
  }
}

/** The verdict that is true of a message: one that a server may have had ends as sent or as uncertain. */
export function truthOf({ doubted: isDoubted }: Pick<Leased, 'doubted'>, verdict: Verdict): Verdict {
  if (!isDoubted || !verdict.ends || verdict.reason === 'sent' || verdict.reason === 'uncertain') return verdict
  return { ...verdict, ...inDoubt(verdict), state: 'uncertain' }
}

/** A message waits again as if nobody had taken it: the attempt does not count. */
export function givenBack({ attempts, room }: Leased): Verdict {
  return { ends: false, state: 'queued', attempts: Math.max(attempts - 1, 0), room }
}

/** A message of a paused dispatch or flow. */
export function heldBack({ attempts, room }: Leased): Verdict {
  return { ends: false, state: 'held', attempts: Math.max(attempts - 1, 0), room: Math.min(room, 0) }
}

/** A message waits for its place among others. */
export function placed({ attempts }: Leased, dueMs: number, room: number): Verdict {
  return { ends: false, state: 'queued', dueMs, attempts: Math.max(attempts - 1, 0), room }
}

/** A message and what becomes of it. */
export type Settled = { readonly message: Leased; readonly verdict: Verdict }
