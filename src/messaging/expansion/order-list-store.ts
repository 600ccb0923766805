import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUsText } from '../../base/db/timestamps.ts'
import type { MessageClass } from '../messages/message.ts'
import type { MessageState } from '../messages/states.ts'
import type { OrderState } from '../orders/order-store.ts'
import { missedZone, type Schedule } from '../orders/schedule.ts'
import type { Sending } from '../orders/sending.ts'
import type { SlotReason, SlotState } from '../orders/slot-store.ts'

export type OrderRow = {
  dispatch_id: string
  schedule_id: string | null
  class: MessageClass
  state: OrderState
  sending: Sending
  schedule: Schedule | null
  send_id: string | null
  created_at: Date
  created_us: string
  resumed_at: Date | null
  updated_at: Date
}

const columns = sql`dispatch_id, schedule_id, class, state, sending, schedule, send_id, created_at,
      (extract(epoch from created_at) * 1000000)::int8 as created_us, resumed_at, updated_at`

/** The cursor of the list: the next page begins after this order. */
export type OrderCursor = { createdUs: string; dispatch_id: string }

/** Lists orders, newest first. */
export function listOrderRows(
  tx: Tx,
  workspace_id: number,
  after: OrderCursor | undefined,
  limit: number,
): Promise<OrderRow[]> {
  const page = after
    ? sql`and (created_at, dispatch_id) <
        (${timestampFromUsText(after.createdUs)}, ${after.dispatch_id}::uuid)`
    : sql``
  return tx.query<OrderRow>(sql`
    select ${columns}
    from dispatch where workspace_id = ${workspace_id} ${page} order by created_at desc, dispatch_id desc limit ${limit}`)
}

/** The latest orders that are looked at for those under way, and for those that are paused. Every mail to one person is an order too. */
export const latestOrdersMax = 1_000

/** Lists active orders of which something is going out now: those to many people first, then the newest. */
export function listUnderWay(tx: Tx, workspace_id: number, limit: number): Promise<OrderRow[]> {
  return tx.query<OrderRow>(sql`
    select ${columns} from dispatch d where d.state = 'active' and d.dispatch_id in (
      select dispatch_id from dispatch_slot where state = 'running' and workspace_id = ${workspace_id}
      union all
      select n.dispatch_id from (${latest(workspace_id)}) n where exists (
        select 1 from message m where m.cause = n.dispatch_id and m.state in ('queued', 'leased', 'handed_over')))
    order by (d.sending -> 'recipients') is null desc, d.created_at desc, d.dispatch_id desc limit ${limit}`)
}

/** Lists paused orders, newest first. */
export function listPaused(tx: Tx, workspace_id: number, limit: number): Promise<OrderRow[]> {
  return tx.query<OrderRow>(sql`
    select ${columns} from dispatch d where d.state = 'paused' and d.dispatch_id in (
      select s.dispatch_id from dispatch_slot s
      where s.workspace_id = ${workspace_id} and s.state in ('waiting', 'held') and s.zone in ('', '*')
      union all
      select n.dispatch_id from (${latest(workspace_id)}) n where n.state = 'paused')
    order by d.created_at desc, d.dispatch_id desc limit ${limit}`)
}

function latest(workspace_id: number): Sql {
  return sql`select dispatch_id, state from dispatch where workspace_id = ${workspace_id}
        order by created_at desc, dispatch_id desc limit ${latestOrdersMax}`
}

export async function findOrderRow(tx: Tx, workspace_id: number, dispatch_id: string): Promise<OrderRow | undefined> {
  const [row] = await tx.query<OrderRow>(sql`
    select ${columns}
    from dispatch where workspace_id = ${workspace_id} and dispatch_id = ${dispatch_id}::uuid`)
  return row
}

export type SlotCount = {
  dispatch_id: string
  state: SlotState
  count: number
  expanded: string
  unknown: string
  next_due_at: Date | null
}

/** Counts the slots of orders by state, and their found people. The slots that missed people have counted them. */
export function countSlots(tx: Tx, ids: readonly string[]): Promise<SlotCount[]> {
  return tx.query<SlotCount>(sql`
    select dispatch_id, state, count(*)::int as count,
      coalesce(sum(expanded) filter (where zone <> ${missedZone}), 0)::int8 as expanded, sum(unknown)::int8 as unknown,
      min(due_at) filter (where state in ('waiting', 'held')) as next_due_at
    from dispatch_slot where dispatch_id = any(${textArray(ids)}::text[]::uuid[]) group by dispatch_id, state`)
}

export type MessageCount = { state: MessageState; reason: string | null; count: string }

/** Counts the messages of an order by state and reason. Reads an index only: a million messages take 0.1 to 0.6 s. */
export function countMessages(tx: Tx, dispatch_id: string): Promise<MessageCount[]> {
  return tx.query<MessageCount>(sql`
    select state, reason, count(*)::int8 as count from message
    where cause = ${dispatch_id}::uuid group by state, reason`)
}

export type EntryCount = { state: string; ended: string | null; count: string }

/** Counts the entries of an order by state and how they ended. */
export function countEntries(tx: Tx, dispatch_id: string): Promise<EntryCount[]> {
  return tx.query<EntryCount>(sql`
    select state, ended, count(*)::int8 as count from entry where dispatch_id = ${dispatch_id}::uuid group by state, ended`)
}

/** Counts the messages of people who were deleted later, by reason. */
export function countDeleted(
  tx: Tx,
  ids: readonly string[],
): Promise<{ dispatch_id: string; reason: string; count: string }[]> {
  return tx.query(sql`
    select cause as dispatch_id, reason, sum(count)::int8 as count
    from deleted_messages where cause = any(${textArray(ids)}::text[]::uuid[]) group by cause, reason`)
}

export type SlotRow = {
  zone: string
  due_at: Date
  state: SlotState
  reason: SlotReason | null
  expanded: string
  unknown: number
  failure: string | null
}

export function listSlots(tx: Tx, dispatch_id: string): Promise<SlotRow[]> {
  return tx.query<SlotRow>(sql`
    select zone, due_at, state, reason, expanded, unknown, failure from dispatch_slot
    where dispatch_id = ${dispatch_id}::uuid order by due_at, zone`)
}

/** Returns whether an order has missed recipients. */
export async function hasMissed(tx: Tx, dispatch_id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as missed from message where cause = ${dispatch_id}::uuid and state = 'missed' and reason = 'missed' limit 1`)
  return rows.length > 0
}
