import type { Tx } from '../../base/db/db.ts'
import { stateOf } from '../../people/confirmations/confirmation.ts'
import { listConfirmationsOf, type OwnConfirmation } from '../../people/confirmations/confirmation-store.ts'
import { person } from '../../people/identity/person.ts'
import type { ConsentRefusal } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import { globalControlRefusal } from '../ledger/global-control.ts'
import { notConfirmed } from '../ledger/not-confirmed.ts'
import type { DecisionReason } from '../ledger/reasons.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import { endFor, holdBack, type MessageOutcome, postpone } from '../messages/outcome.ts'
import type { OrderState } from '../orders/order-store.ts'
import type { DeliveryItem } from './delivery-item.ts'
import { type EligibilityRow, lockEligibility, lockOrderStates } from './eligibility-store.ts'
import {
  checkEntry,
  checkQuietHours,
  type EligibilityServices,
  type EntryEligibility,
  readEntryEligibility,
} from './entry-eligibility.ts'

/** The eligibility of leased messages. Messages that this process has lost are missing. */
export type Eligibility = {
  readonly rows: ReadonlyMap<string, EligibilityRow>
  /** The states of dispatches that are not active. They are locked until the transaction ends. */
  readonly stopped: ReadonlyMap<string, OrderState>
  /** The eligibility of messages of entries, by message id. */
  readonly flows: ReadonlyMap<string, EntryEligibility>
  /** What people were asked to confirm and have not confirmed, by message id. */
  readonly pending: ReadonlyMap<string, readonly OwnConfirmation[]>
}

/**
 * Locks messages and reads their eligibility as of now. Every transaction about the messages does this again. `withProperties`: reads also
 * the properties of entries for Liquid.
 */
export async function readEligibility(
  tx: Tx,
  messages: readonly LeasedMessage[],
  services: EligibilityServices,
  withProperties: boolean,
): Promise<Eligibility> {
  const rows = new Map<string, EligibilityRow>()
  const inactive: LeasedMessage[] = []
  // In one order of channels, so that two transactions do not wait for each other.
  const byChannel = [...Map.groupBy(messages, ({ channel }) => channel)].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [channel, own] of byChannel) {
    for (const row of await lockEligibility(tx, channelOf(channel), own)) {
      const message = own[row.n - 1]!
      rows.set(message.message_id, row)
      if (row.dispatch_state !== 'active') inactive.push(message)
    }
  }
  const causes = [...new Set(inactive.filter((each) => !isEntryMessage(each)).map(({ cause }) => cause))]
  const stopped = causes.length === 0 ? new Map() : await lockOrderStates(tx, causes)
  return {
    rows,
    stopped,
    flows: await readEntryEligibility(tx, inactive.filter(isEntryMessage), services, withProperties),
    pending: await readPending(tx, messages, rows),
  }
}

/** Reads the open confirmations of people whose refusal they may explain. Without such people it sends no statement. */
async function readPending(
  tx: Tx,
  messages: readonly LeasedMessage[],
  rows: ReadonlyMap<string, EligibilityRow>,
): Promise<Eligibility['pending']> {
  const waiting = messages.filter(({ channel, message_id }) => {
    const row = rows.get(message_id)
    return row !== undefined && channelOf(channel).consent.mayWait(row)
  })
  const people = new Map(waiting.map(({ bucket, profile_id }) => [profile_id, person(bucket, profile_id)]))
  const asked = await listConfirmationsOf(tx, [...people.values()])
  const open = Map.groupBy(
    asked.filter(({ confirmed_at }) => confirmed_at === null),
    ({ profile_id }) => profile_id,
  )
  return new Map(
    waiting.flatMap(({ message_id, profile_id }) => {
      const own = open.get(profile_id)
      return own ? [[message_id, own] as const] : []
    }),
  )
}

/** A message that was inserted during a merge of its person is moved within this time (`people/merge/finish-moving.ts`). */
const movedWithinMs = 1_000

/** Returns why a message is not sent now, or undefined if it may be sent. Pure. */
export function decideEligibility(
  { message, sending }: Pick<DeliveryItem, 'message' | 'sending'>,
  { rows, stopped, flows, pending }: Eligibility,
  nowMs: number,
  { settingsOf }: Pick<EligibilityServices, 'settingsOf'>,
): MessageOutcome | undefined {
  const row = rows.get(message.message_id)!
  if (row.was_merged) return postpone(message, nowMs + movedWithinMs, message.rates_granted)
  const flow = isEntryMessage(message) ? flows.get(message.message_id) : undefined
  const cause = isEntryMessage(message) ? checkEntry(message, flow) : checkOrder(message, row, stopped)
  if (cause) return cause
  const control = globalControlRefusal(message.class, row.random_bucket, settingsOf(message.workspace_id))
  if (control) return endFor(control)
  const { consent } = channelOf(message.channel)
  const why = consent.check(row, sending.content, sending.recipient_subscription_state)
  if (why) return endFor(explainRefusal(why, pending.get(message.message_id) ?? [], nowMs))
  return flow && isEntryMessage(message)
    ? checkQuietHours(message, flow, settingsOf(message.workspace_id), nowMs)
    : undefined
}

/** A person who would get the message after a confirmation that can still be given has not confirmed rather than unsubscribed. Pure. */
function explainRefusal(why: ConsentRefusal, asked: readonly OwnConfirmation[], nowMs: number): DecisionReason {
  const decides = ({ channel, subscription_group_id }: OwnConfirmation) => {
    if (why.reason === 'unsubscribed') return channel === 'email'
    return why.reason === 'group_unsubscribed' && why.inputs.subscription_group_id === subscription_group_id
  }
  const waiting = asked.find((each) => decides(each) && stateOf(each, nowMs) === 'pending')
  return waiting ? notConfirmed(waiting, why.inputs) : why
}

function checkOrder(
  message: LeasedMessage,
  { dispatch_state }: EligibilityRow,
  stopped: ReadonlyMap<string, OrderState>,
): MessageOutcome | undefined {
  const state = dispatch_state === 'active' ? 'active' : stopped.get(message.cause)
  if (state === 'paused') return holdBack(message)
  return state === 'active' ? undefined : endFor({ reason: 'cancelled', rule: 'the dispatch was cancelled' })
}
