import type { Tx } from '../../base/db/db.ts'
import { judgeConsent } from '../../people/addresses/consent.ts'
import { consentFacts } from '../../people/addresses/consent-store.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import { endFor, holdBack, type MessageOutcome, postpone } from '../messages/outcome.ts'
import type { OrderState } from '../orders/order-store.ts'
import { type FlowParts, type FlowStanding, judgeFlow, judgeQuiet, readFlowStandings } from './flow-standing.ts'
import type { Item } from './item.ts'
import { lockDispatches, lockStandings, type Standing } from './standing-store.ts'

/** Leased messages with how they stand; those that are not ours any more are missing. */
export type Standings = {
  readonly standings: ReadonlyMap<string, Standing>
  /** The states of the dispatches that are not active, which stay so while the transaction lasts. */
  readonly stopped: ReadonlyMap<string, OrderState>
  /** Those of messages of entries. */
  readonly flows: ReadonlyMap<string, FlowStanding>
}

/**
 * Locks messages and reads, as of now, what decides about them; again in every transaction that goes on with them. `withProperties`: also
 * what Liquid is to know of entries.
 */
export async function readStandings(
  tx: Tx,
  messages: readonly LeasedMessage[],
  parts: FlowParts,
  withProperties: boolean,
): Promise<Standings> {
  const rows = await lockStandings(tx, messages)
  const standings = new Map(rows.map((row) => [messages[row.n - 1]!.message_id, row]))
  const doubtful = rows.filter(({ dispatch_state }) => dispatch_state !== 'active').map(({ n }) => messages[n - 1]!)
  const causes = [...new Set(doubtful.filter((each) => !isEntryMessage(each)).map(({ cause }) => cause))]
  const stopped = causes.length === 0 ? new Map() : await lockDispatches(tx, causes)
  return {
    standings,
    stopped,
    flows: await readFlowStandings(tx, doubtful.filter(isEntryMessage), parts, withProperties),
  }
}

/** A message that was written while its person was merged away follows within a moment (`departed.ts`). */
const followedMs = 1_000

/** Why a message does not go out as things stand; undefined when nothing is against it. Pure. */
export function judgeStanding(
  { message, sending }: Pick<Item, 'message' | 'sending'>,
  { standings, stopped, flows }: Standings,
  nowMs: number,
  { settingsOf }: Pick<FlowParts, 'settingsOf'>,
): MessageOutcome | undefined {
  const standing = standings.get(message.message_id)!
  if (standing.has_gone) return postpone(message, nowMs + followedMs, message.room)
  const flow = isEntryMessage(message) ? flows.get(message.message_id) : undefined
  const cause = isEntryMessage(message) ? judgeFlow(message, flow) : judgeDispatch(message, standing, stopped)
  if (cause) return cause
  const why = judgeConsent(consentFacts(standing), sending.recipient_subscription_state)
  if (why) return endFor(why)
  return flow && isEntryMessage(message)
    ? judgeQuiet(message, flow, settingsOf(message.workspace_id), nowMs)
    : undefined
}

function judgeDispatch(
  message: LeasedMessage,
  { dispatch_state }: Standing,
  stopped: ReadonlyMap<string, OrderState>,
): MessageOutcome | undefined {
  const state = dispatch_state === 'active' ? 'active' : stopped.get(message.cause)
  if (state === 'paused') return holdBack(message)
  return state === 'active' ? undefined : endFor({ reason: 'cancelled', rule: 'the dispatch was cancelled' })
}
