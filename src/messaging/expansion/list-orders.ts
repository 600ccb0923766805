import { findSegment } from '../../audience/segments/find.ts'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { readLimit, readNonEmpty } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { parseUuid, uuidToHex } from '../../base/ids.ts'
import { channelOf } from '../channels/channels.ts'
import type { Flow } from '../flows/flow.ts'
import { listFlowsById } from '../flows/flow-store.ts'
import { reasons } from '../ledger/reasons.ts'
import { isEndState } from '../messages/states.ts'
import { describeSchedule } from '../orders/schedule.ts'
import { contentsOf, type Sending } from '../orders/sending.ts'
import { orNotFound, parseOrderId } from './change-order.ts'
import {
  countDeleted,
  countEntries,
  countMessages,
  countSlots,
  type EntryCount,
  findOrderRow,
  listOrderRows,
  listSlots,
  type MessageCount,
  type OrderCursor,
  type OrderRow,
  type SlotCount,
} from './order-list-store.ts'
import { actionsOf, outcomesOf, progressSentence, recipientWords, toGo, whatWords } from './order-words.ts'
import {
  type DispatchEntry,
  type DispatchesReply,
  type DispatchReply,
  orderPageDefault,
  orderPageMax,
} from './schema.ts'

/**
 * Returns a page of the orders of a workspace, newest first, with counts of their messages. A subject can name a person, so it is null
 * without `showsContent`. Throws 400.
 */
export async function listOrders(
  call: Call,
  workspace_id: number,
  query: Query,
  showsContent: boolean,
): Promise<DispatchesReply> {
  const limit = readLimit(query, orderPageDefault, orderPageMax)
  const rows = await listOrderRows(call.db, workspace_id, readCursor(query), limit + 1)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    dispatches: (await describeOrders(call, workspace_id, page)).map((entry) =>
      showsContent ? entry : { ...entry, subject: null },
    ),
    ...(last && rows.length > limit && { cursor: cursorAfter(last) }),
  }
}

/** Returns one order with its slots and what it sends. Throws 404. */
export async function readOrder(call: Call, workspace_id: number, id: string): Promise<DispatchReply> {
  const row = orNotFound(await findOrderRow(call.db, workspace_id, parseOrderId(id)), id)
  const [entry] = await describeOrders(call, workspace_id, [row])
  const slots = await listSlots(call.db, row.dispatch_id)
  return {
    dispatch: {
      ...entry!,
      sending: row.sending,
      slots: slots.map(({ expanded, due_at, ...slot }) => {
        return { ...slot, due_at: due_at.toISOString(), found: Number(expanded) }
      }),
    },
  }
}

/** Describes orders with counts of their messages. */
export async function describeOrders(
  { db }: Pick<Call, 'db'>,
  workspace_id: number,
  rows: readonly OrderRow[],
): Promise<DispatchEntry[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ dispatch_id }) => dispatch_id)
  const byId = ({ dispatch_id }: { dispatch_id: string }) => dispatch_id
  const slots = Map.groupBy(await countSlots(db, ids), byId)
  // One statement for each order: for many large ones a single statement would take too long.
  const messages = new Map<string, readonly MessageCount[]>()
  for (const id of ids) messages.set(id, await countMessages(db, id))
  const entries = new Map<string, readonly EntryCount[]>()
  for (const { dispatch_id, sending } of rows) {
    if (sending.flow) entries.set(dispatch_id, await countEntries(db, dispatch_id))
  }
  const deleted = Map.groupBy(await countDeleted(db, ids), byId)
  const names = await readNames(db, workspace_id, rows)
  return rows.map((row) =>
    describeOrder(row, names, {
      slots: slots.get(row.dispatch_id) ?? [],
      messages: messages.get(row.dispatch_id) ?? [],
      entries: entries.get(row.dispatch_id) ?? [],
      deleted: deleted.get(row.dispatch_id) ?? [],
    }),
  )
}

/** The names of what orders refer to. */
type Names = { readonly flows: ReadonlyMap<number, Flow>; readonly segments: ReadonlyMap<string, string> }

async function readNames(tx: Tx, workspace_id: number, rows: readonly OrderRow[]): Promise<Names> {
  const flow_ids = new Set(rows.flatMap(({ sending }) => sending.flow?.flow_id ?? sending.campaign?.flow_id ?? []))
  const flows = flow_ids.size === 0 ? [] : await listFlowsById(tx, [...flow_ids])
  const segments = new Map<string, string>()
  for (const id of new Set(rows.flatMap(({ sending }) => sending.segment_id ?? []))) {
    const found = await findSegment(tx, workspace_id, id)
    if (found) segments.set(id, found.name)
  }
  return { flows: new Map(flows.map((flow) => [flow.flow_id, flow])), segments }
}

/** The counts of one order. */
type Counts = {
  readonly slots: readonly SlotCount[]
  readonly messages: readonly MessageCount[]
  /** The entries of an order of a flow, to which its messages belong. */
  readonly entries: readonly EntryCount[]
  readonly deleted: readonly { reason: string; count: string }[]
}

function describeOrder(row: OrderRow, names: Names, counts: Counts): DispatchEntry {
  const { slots, messages, entries, deleted } = counts
  const { dispatch_id, schedule_id, send_id, sending, schedule, created_at, updated_at, resumed_at } = row
  const dues = slots.flatMap(({ next_due_at }) => (next_due_at ? [next_due_at.getTime()] : []))
  const unknown = sumOf(slots.map((slot) => slot.unknown))
  const refused = entries.flatMap(({ ended: reason, count }) =>
    reason && reason in reasons ? [{ reason, count }] : [],
  )
  const endedCounts = [...messages.filter(({ reason }) => reason !== null), ...refused, ...deleted]
  const flow = names.flows.get(sending.flow?.flow_id ?? sending.campaign?.flow_id ?? 0)
  const counted = {
    state: progressOf(row, counts),
    found: sumOf(slots.map(({ expanded }) => expanded)),
    unknown,
    entries: sumsBy(entries.map(({ state, ended, count }) => [ended ?? state, count])),
    messages: sumsBy(messages.map(({ state, count }) => [state, count])),
    reasons: sumsBy([
      ...endedCounts.map(({ reason, count }) => [reason!, count] as const),
      ...(unknown > 0 ? [['no_such_user', unknown] as const] : []),
    ]),
    messageReasons: new Set(messages.flatMap(({ reason }) => reason ?? [])),
    hasMissed: messages.some(({ state, reason }) => state === 'missed' && reason === 'missed'),
  }
  const { hasMissed: _, messageReasons: __, ...shown } = counted
  return {
    dispatch_id: uuidToHex(dispatch_id),
    schedule_id,
    ...shown,
    sentence: progressSentence(counted),
    what: whatWords(sending, flow),
    recipient_words: recipientWords(sending, names.segments.get(sending.segment_id ?? '')),
    to_go: toGo(counted),
    outcomes: outcomesOf(counted),
    actions: actionsOf(counted),
    class: row.class,
    send_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    resumed_at: resumed_at?.toISOString() ?? null,
    schedule: schedule && describeSchedule(schedule),
    recipients: {
      named: sending.recipients?.length ?? null,
      segment_id: sending.segment_id ?? null,
      audience: sending.audience !== undefined,
      broadcast: sending.broadcast,
    },
    // Absent for a flow, and for channels that are not delivered.
    subject: titleOf(sending),
    next_due_at: dues.length > 0 ? new Date(Math.min(...dues)).toISOString() : null,
    flow: sending.flow
      ? { kind: sending.flow.kind, id: sending.flow.id, name: flow?.name ?? null, by: sending.flow.by }
      : null,
  }
}

/** Returns the state that the administrator sees. Pure. */
function progressOf({ state }: OrderRow, { slots, messages, entries }: Counts): DispatchEntry['state'] {
  if (state === 'cancelled') return state
  const isOpen = slots.some((slot) => ['waiting', 'held', 'running'].includes(slot.state))
  const isAllEnded =
    messages.every((message) => isEndState(message.state)) && entries.every(({ ended }) => ended !== null)
  if (!isOpen && isAllEnded) return 'done'
  if (state === 'paused') return state
  const began = messages.length + entries.length > 0 || slots.some((slot) => slot.state !== 'waiting')
  return began ? 'running' : 'waiting'
}

function sumOf(counts: readonly (string | number)[]): number {
  return counts.reduce<number>((sum, count) => sum + Number(count), 0)
}

function sumsBy(counts: readonly (readonly [string, string | number])[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, count] of counts) sums[name] = (sums[name] ?? 0) + Number(count)
  // In one order, because the ETag of an answer is that of its text.
  return Object.fromEntries(Object.entries(sums).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function cursorAfter({ created_us, dispatch_id }: OrderRow): string {
  return Buffer.from(`${created_us}.${dispatch_id}`).toString('base64url')
}

const cursorForm = /^(\d{1,18})\.([0-9a-f-]{36})$/

function readCursor(query: Query): OrderCursor | undefined {
  const given = readNonEmpty(query, 'cursor')
  if (given === undefined) return undefined
  const [, createdUs, id = ''] = cursorForm.exec(Buffer.from(given, 'base64url').toString('latin1')) ?? []
  const dispatch_id = parseUuid(id)
  if (!createdUs || !dispatch_id) throw invalid("'cursor' is not valid")
  return { createdUs, dispatch_id }
}

/** Returns the title of the first content that has one. */
function titleOf(sending: Sending): string | null {
  for (const [channel, content] of Object.entries(contentsOf(sending))) {
    const title = channelOf(channel).content.titleOf(content)
    if (title !== null) return title
  }
  return null
}
