import type { Call } from '../../base/call.ts'
import { uuidToHex } from '../../base/ids.ts'
import { reasonOfChannel } from '../channels/reason-of-channel.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Flow } from '../flows/flow.ts'
import { familyOf } from '../ledger/families.ts'
import { describeSchedule } from '../orders/schedule.ts'
import { findEntryOrders } from './flow-explanation-store.ts'
import { messageWait, slotWait } from './message-wait.ts'
import { decisionSentence, type Subject, waitSentence } from './sentences.ts'
import type { WhyDecision, WhyDispatch, WhyFlowPosition, WhyMessage, WhyOpen } from './why-schema.ts'
import {
  type EngagementRow,
  type ExplainedDecisionRow,
  type ExplainedMessageRow,
  type ExplainedOrderRow,
  findExplainedOrders,
  listEngagement,
  type OpenMessageRow,
  type OpenSlotRow,
} from './why-store.ts'

/** The rows for one page of the answer. */
export type FoundRows = {
  readonly decisions: readonly ExplainedDecisionRow[]
  readonly messages: readonly OpenMessageRow[]
  readonly slots: readonly OpenSlotRow[]
  /** The order that the query names. */
  readonly dispatch_id: string | undefined
}

/** `trouble` says what is wrong with the server of a channel; `delivery` is undefined in a process that does not deliver. */
export type DescribeServices = {
  formatServiceId(profile_id: string): string
  readonly delivery: { trouble(channel: string, workspace_id: number): string | undefined } | undefined
}

export type DescribedRows = {
  readonly decisions: WhyDecision[]
  readonly open: WhyOpen[]
  /** False when the query names an order that does not exist. */
  readonly isOrderKnown: boolean
}

/** Describes decisions, and messages and slots that are open, with the orders, flows and engagements that belong to them. */
export async function describeRows(
  { db, clock }: Call,
  workspace_id: number,
  found: FoundRows,
  { formatServiceId, delivery }: DescribeServices,
): Promise<DescribedRows> {
  const { decisions, messages, slots, dispatch_id } = found
  const related = await loadRelated(db, workspace_id, found)
  const formatPerson = (profile_id: string) => (profile_id === '0' ? null : formatServiceId(profile_id))
  const nowMs = clock.now()
  return {
    isOrderKnown: dispatch_id === undefined || related.orders.has(dispatch_id),
    decisions: decisions.map((row) => ({
      at: iso(row.time),
      person: formatPerson(row.profile_id),
      channel: row.channel || null,
      reason: row.reason,
      family: familyOf(row.reason),
      because: reasonOfChannel(row.reason, row.channel),
      sentence: decisionSentence(subjectOf(row, related), row.reason),
      rule: row.rule,
      inputs: row.inputs,
      asked: row.asked,
      ...describeRelated(row, related),
    })),
    open: [
      ...messages.map((row) => {
        const wait = messageWait(row, nowMs, (channel) => delivery?.trouble(channel, workspace_id))
        return {
          person: formatPerson(row.profile_id),
          channel: row.channel,
          sentence: waitSentence(subjectOf(row, related), wait.waits_for),
          ...wait,
          ...describeRelated(row, related),
        }
      }),
      ...slots.map((slot) => {
        const [flow, wait] = [flowOf(slot, related), slotWait(slot)]
        return {
          person: null,
          channel: null,
          sentence: waitSentence({ ...noMessage, flow }, wait.waits_for),
          ...wait,
          dispatch: describeOrder(related.orders.get(slot.dispatch_id)),
          flow: describePosition(flow, notEntered),
          message: null,
        }
      }),
    ],
  }
}

const noMessage = { channel: null, subject: null, address: null, step: null } as const

/** Returns what the sentence about a row is about. */
function subjectOf(row: ExplainedDecisionRow | OpenMessageRow, related: Related): Subject {
  const { channel, subject, address, step } = row
  return { channel: channel || null, subject, address, step: step || null, flow: flowOf(row, related) }
}

type Related = {
  readonly orders: ReadonlyMap<string, ExplainedOrderRow>
  /** The orders that made entries, by `entry_id`. */
  readonly entryOrders: ReadonlyMap<string, string>
  readonly flows: ReadonlyMap<number, Flow>
  readonly engagements: ReadonlyMap<string, readonly EngagementRow[]>
}

async function loadRelated(
  db: Call['db'],
  workspace_id: number,
  { decisions, messages, slots, dispatch_id }: FoundRows,
): Promise<Related> {
  const rows = [...decisions, ...messages]
  const ofFlows = rows.filter(({ flow_id }) => flow_id !== null)
  const entryOrders = await findEntryOrders(db, ofFlows)
  const orderIds = new Set([
    ...rows.map(({ cause }) => entryOrders.get(cause) ?? cause),
    ...slots.map((slot) => slot.dispatch_id),
    ...(dispatch_id ? [dispatch_id] : []),
  ])
  const written = rows.flatMap(({ bucket, profile_id, message_id }) =>
    message_id === null ? [] : [{ bucket, profile_id, message_id }],
  )
  const [orders, engagements, flows] = await Promise.all([
    findExplainedOrders(db, workspace_id, [...orderIds]),
    listEngagement(db, written),
    flowsById(
      db,
      [...ofFlows, ...slots].flatMap(({ flow_id }) => flow_id ?? []),
    ),
  ])
  return { orders, entryOrders, flows, engagements: Map.groupBy(engagements, ({ message_id }) => message_id) }
}

/** Describes the order, the position in the flow and the message that a row is about. */
function describeRelated(row: ExplainedDecisionRow | OpenMessageRow, related: Related) {
  const { orders, entryOrders, engagements } = related
  const { cause, profile_id, message_id } = row
  // The cause of a row is an order or an entry.
  const hasEntry = profile_id !== '0' && !orders.has(cause)
  return {
    dispatch: describeOrder(orders.get(entryOrders.get(cause) ?? cause)),
    flow: describePosition(flowOf(row, related), hasEntry ? { ...row, entry_id: cause } : notEntered),
    message: message_id === null ? null : describeMessage(row, message_id, engagements.get(message_id) ?? []),
  }
}

function flowOf({ flow_id }: { readonly flow_id: number | null }, { flows }: Related): Flow | undefined {
  return flow_id === null ? undefined : flows.get(flow_id)
}

type EntryPosition = { readonly step: string; readonly visit: number; readonly entry_id: string | null }

const notEntered: EntryPosition = { step: '', visit: 0, entry_id: null }

function describePosition(flow: Flow | undefined, { step, visit, entry_id }: EntryPosition): WhyFlowPosition | null {
  return flow ? { kind: flow.kind, id: flow.id, name: flow.name, step: step || null, visit, entry_id } : null
}

function describeOrder(row: ExplainedOrderRow | undefined): WhyDispatch | null {
  if (!row) return null
  const { dispatch_id, schedule_id, send_id, class: kind, state, created_at, schedule, sending } = row
  return {
    dispatch_id: uuidToHex(dispatch_id),
    schedule_id,
    send_id,
    class: kind,
    state,
    asked_at: iso(created_at),
    schedule: schedule && describeSchedule(schedule),
    segment_id: sending.segment_id ?? null,
    audience: sending.audience ?? null,
    broadcast: sending.broadcast ?? false,
    recipient_subscription_state: sending.recipient_subscription_state ?? null,
  }
}

function describeMessage(
  row: ExplainedMessageRow,
  message_id: string,
  engagements: readonly EngagementRow[],
): WhyMessage {
  const { state, address, subject, response, warnings, attempts, links } = row
  return {
    ...{ message_id, state, address, subject, response, warnings: warnings ?? [], attempts },
    planned_at: iso(row.planned_at),
    ended_at: isoOrNull(row.ended_at),
    bounced_at: isoOrNull(row.bounced_at),
    complained_at: isoOrNull(row.complained_at),
    engagement: engagements.map(({ kind, link, first_at, last_at, count }) => {
      return { kind, url: links?.[link] ?? null, first_at: iso(first_at), last_at: iso(last_at), count }
    }),
  }
}

function iso(time: Date): string {
  return time.toISOString()
}

function isoOrNull(time: Date | null): string | null {
  return time && iso(time)
}
