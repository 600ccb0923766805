import { type Reason, reasons } from '../ledger/reasons.ts'

/** How the mail of a send ended: a reason of the ledger, and when. */
export type SendEnd = { readonly reason: Reason; readonly at: Date }

/** The states of the order, the entry and the message of a send. What does not exist is null. */
export type SendState = {
  readonly order_state: string | null
  /** Slots of the order that wait or run, and how many people it has found. */
  readonly open_slots: number
  readonly found: number
  readonly unknown: number
  readonly entry_state: string | null
  readonly entry_ended: string | null
  readonly entry_ended_at: Date | null
  readonly has_message: boolean
  readonly message_reason: string | null
  readonly message_ended_at: Date | null
  /** When the mail arrived, and when it was returned or refused, epoch microseconds. */
  readonly delivered_us: number | null
  readonly bounced_us: number | null
}

/** Returns how the mail ended; undefined while it is open. Pure. */
export function endOf(state: SendState, now: Date): SendEnd | undefined {
  const { has_message, message_reason, message_ended_at, entry_state, entry_ended, entry_ended_at } = state
  if (has_message) return message_reason === null ? undefined : ended(message_reason, message_ended_at ?? now)
  if (entry_state === null) return endWithoutEntry(state, now)
  // The entry of a message that is gone has been completed.
  return entry_state === 'ended' ? ended(entry_ended ?? 'deleted', entry_ended_at ?? now) : undefined
}

function endWithoutEntry({ order_state, open_slots, found, unknown }: SendState, now: Date): SendEnd | undefined {
  if (order_state === null) return { reason: 'deleted', at: now }
  if (order_state === 'cancelled') return { reason: 'cancelled', at: now }
  if (open_slots > 0) return undefined
  if (found > 0) return { reason: 'deleted', at: now }
  return { reason: unknown > 0 ? 'no_such_user' : 'cancelled', at: now }
}

function ended(reason: string, at: Date): SendEnd {
  return { reason: isReason(reason) ? reason : 'deleted', at }
}

/** An entry that was completed without a message has an end that is no reason. */
function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text)
}
