import type { Tx } from '../../base/db/db.ts'
import { judgeConsent } from '../../people/addresses/consent.ts'
import { consentFacts } from '../../people/addresses/consent-store.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import { endFor, holdBack, type MessageOutcome, postpone } from '../messages/outcome.ts'
import type { OrderState } from '../orders/order-store.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { type EligibilityRow, lockEligibility, lockOrderStates } from './eligibility-store.ts'
import {
  type EligibilityServices,
  type EntryEligibility,
  judgeEntry,
  judgeQuietHours,
  readEntryEligibility,
} from './entry-eligibility.ts'

/** Leased messages with how they stand; those that are not ours any more are missing. */
export type Eligibility = {
  readonly rows: ReadonlyMap<string, EligibilityRow>
  /** The states of the dispatches that are not active, which stay so while the transaction lasts. */
  readonly stopped: ReadonlyMap<string, OrderState>
  /** Those of messages of entries. */
  readonly flows: ReadonlyMap<string, EntryEligibility>
}

/**
 * Locks messages and reads, as of now, what decides about them; again in every transaction that goes on with them. `withProperties`: also
 * what Liquid is to know of entries.
 */
export async function readEligibility(
  tx: Tx,
  messages: readonly LeasedMessage[],
  parts: EligibilityServices,
  withProperties: boolean,
): Promise<Eligibility> {
  const locked = await lockEligibility(tx, messages)
  const rows = new Map(locked.map((row) => [messages[row.n - 1]!.message_id, row]))
  const doubtful = locked.filter(({ dispatch_state }) => dispatch_state !== 'active').map(({ n }) => messages[n - 1]!)
  const causes = [...new Set(doubtful.filter((each) => !isEntryMessage(each)).map(({ cause }) => cause))]
  const stopped = causes.length === 0 ? new Map() : await lockOrderStates(tx, causes)
  return {
    rows,
    stopped,
    flows: await readEntryEligibility(tx, doubtful.filter(isEntryMessage), parts, withProperties),
  }
}

/** A message that was written while its person was merged away follows within a moment (`departed.ts`). */
const followedMs = 1_000

/** Why a message does not go out as things stand; undefined when nothing is against it. Pure. */
export function judgeEligibility(
  { message, sending }: Pick<DeliveryItem, 'message' | 'sending'>,
  { rows, stopped, flows }: Eligibility,
  nowMs: number,
  { settingsOf }: Pick<EligibilityServices, 'settingsOf'>,
): MessageOutcome | undefined {
  const row = rows.get(message.message_id)!
  if (row.has_gone) return postpone(message, nowMs + followedMs, message.room)
  const flow = isEntryMessage(message) ? flows.get(message.message_id) : undefined
  const cause = isEntryMessage(message) ? judgeEntry(message, flow) : judgeOrder(message, row, stopped)
  if (cause) return cause
  const why = judgeConsent(consentFacts(row), sending.recipient_subscription_state)
  if (why) return endFor(why)
  return flow && isEntryMessage(message)
    ? judgeQuietHours(message, flow, settingsOf(message.workspace_id), nowMs)
    : undefined
}

function judgeOrder(
  message: LeasedMessage,
  { dispatch_state }: EligibilityRow,
  stopped: ReadonlyMap<string, OrderState>,
): MessageOutcome | undefined {
  const state = dispatch_state === 'active' ? 'active' : stopped.get(message.cause)
  if (state === 'paused') return holdBack(message)
  return state === 'active' ? undefined : endFor({ reason: 'cancelled', rule: 'the dispatch was cancelled' })
}
