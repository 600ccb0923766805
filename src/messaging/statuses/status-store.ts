import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, onEveryShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs, timestampFromUsText } from '../../base/db/timestamps.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { MessageKey } from '../messages/message.ts'
import type { SendEnd, SendState } from './send-end.ts'
import type { TransactionalSend } from './send-store.ts'

/** A send to look at or to tell about. */
export type DueSend = TransactionalSend & {
  readonly workspace_id: number
  readonly reason: Reason | null
  readonly ended_at: Date | null
  readonly told: number
  readonly attempts: number
  /** Until when it is claimed: machine time in epoch microseconds, as decimal text. */
  readonly claimed_until: string
}

/** A send that is due, and whose it is. */
export type SendInTurn = Pick<DueSend, 'dispatch_id' | 'workspace_id'>

/** Has a row when a send of these workspaces is due. Machine time. */
export function dueSendProbe(workspaceIds: readonly number[], nowMs: number): Sql {
  return sql`
    select 1 from unnest(${int4Array(workspaceIds)}::int4[]) w(id)
    cross join lateral (
      select 1 from transactional_send t
      where t.workspace_id = w.id and t.due_at <= ${timestampFromMs(nowMs)} order by t.due_at limit 1) d`
}

/** Lists sends of these workspaces that are due, earliest first. `each` is the most of one workspace. Machine time. */
export function listDueSends(
  tx: Tx,
  workspaceIds: readonly number[],
  each: number,
  limit: number,
  nowMs: number,
): Promise<SendInTurn[]> {
  return tx.query<SendInTurn>(
    prepared(sql`
    select d.dispatch_id, d.workspace_id from unnest(${int4Array(workspaceIds)}::int4[]) w(id)
    cross join lateral (
      select t.dispatch_id, t.workspace_id, t.due_at from transactional_send t
      where t.workspace_id = w.id and t.due_at <= ${timestampFromMs(nowMs)} order by t.due_at limit ${each}) d
    order by d.due_at limit ${limit}`),
  )
}

/** Claims those of the sends that are still due. Without an update they are due again at `againMs`. Machine times. */
export function claimSends(tx: Tx, dispatchIds: readonly string[], nowMs: number, againMs: number): Promise<DueSend[]> {
  return tx.query<DueSend>(
    prepared(sql`
    with o as materialized (
      select s.dispatch_id from unnest(${textArray(dispatchIds)}::text[]) w(id)
      join transactional_send s on s.dispatch_id = w.id::uuid
      where s.due_at <= ${timestampFromMs(nowMs)} for update of s skip locked)
    update transactional_send t set due_at = ${timestampFromMs(againMs)} from o where t.dispatch_id = o.dispatch_id
    returning t.dispatch_id, t.workspace_id, t.campaign_id, t.external_send_id, t.accepted_at, t.reason, t.ended_at, t.told,
      t.attempts, (extract(epoch from t.due_at) * 1000000)::int8::text as claimed_until`),
  )
}

/** Reads the states of sends, by `dispatch_id`. */
export async function readSendStates(tx: Tx, dispatchIds: readonly string[]): Promise<Map<string, SendState>> {
  if (dispatchIds.length === 0) return new Map()
  const rows = await (tx.placement === undefined ? joinSendStates : lookSendStatesUp)(tx, dispatchIds)
  return new Map(rows.map(({ dispatch_id, ...state }) => [dispatch_id, state]))
}

type StateRow = SendState & { dispatch_id: string }

function joinSendStates(tx: Tx, dispatchIds: readonly string[]): Promise<StateRow[]> {
  return tx.query<StateRow>(
    prepared(sql`
    select w.id as dispatch_id, d.state as order_state, s.open_slots, s.found, s.unknown, e.state as entry_state, e.ended as entry_ended,
      e.ended_at as entry_ended_at, m.message_id is not null as has_message, m.reason as message_reason, m.ended_at as message_ended_at,
      ${microseconds(sql`t.delivered_at`)} as delivered_us, ${microseconds(sql`m.bounced_at`)} as bounced_us
    from unnest(${textArray(dispatchIds)}::text[]) w(id)
    join transactional_send t on t.dispatch_id = w.id::uuid
    left join dispatch d on d.dispatch_id = w.id::uuid
    cross join lateral (
      select count(*) filter (where s.state in ('waiting', 'held', 'running'))::int4 as open_slots,
        coalesce(sum(s.expanded), 0)::int4 as found, coalesce(sum(s.unknown), 0)::int4 as unknown
      from dispatch_slot s where s.dispatch_id = d.dispatch_id) s
    left join lateral (
      select e.* from entry e where e.dispatch_id = d.dispatch_id order by e.is_duplicate limit 1) e on true
    left join lateral (
      select m.* from message m where m.bucket = e.bucket and m.cause = e.entry_id order by m.visit limit 1) m on true`),
  )
}

/** Does the same in three steps: the send and its order are on one node, its entry and message on some shard. */
async function lookSendStatesUp(tx: Tx, dispatchIds: readonly string[]): Promise<StateRow[]> {
  type OrderRow = Pick<StateRow, 'dispatch_id' | 'order_state' | 'open_slots' | 'found' | 'unknown' | 'delivered_us'>
  type EntryRow = Pick<StateRow, 'entry_state' | 'entry_ended' | 'entry_ended_at'> & {
    dispatch_id: string
    bucket: number
    entry_id: string
    is_duplicate: boolean
  }
  type MessageRow = Pick<StateRow, 'message_reason' | 'message_ended_at' | 'bounced_us'> & { cause: string }
  const orders = await tx.query<OrderRow>(
    prepared(sql`
    select w.id as dispatch_id, d.state as order_state, s.open_slots, s.found, s.unknown,
      ${microseconds(sql`t.delivered_at`)} as delivered_us
    from unnest(${textArray(dispatchIds)}::text[]) w(id)
    join transactional_send t on t.dispatch_id = w.id::uuid
    left join dispatch d on d.dispatch_id = w.id::uuid
    cross join lateral (
      select count(*) filter (where s.state in ('waiting', 'held', 'running'))::int4 as open_slots,
        coalesce(sum(s.expanded), 0)::int4 as found, coalesce(sum(s.unknown), 0)::int4 as unknown
      from dispatch_slot s where s.dispatch_id = d.dispatch_id) s`),
  )
  const entries = await onEveryShard<EntryRow>(tx, (part) =>
    prepared(sql`
    select distinct on (e.dispatch_id) e.dispatch_id, e.bucket, e.entry_id, e.is_duplicate, e.state as entry_state, e.ended as entry_ended,
      e.ended_at as entry_ended_at
    from entry e where e.dispatch_id = any(${textArray(dispatchIds)}::text[]::uuid[]) ${withinPart(part, 'e')}
    order by e.dispatch_id, e.is_duplicate`),
  )
  entries.sort((one, other) => Number(other.is_duplicate) - Number(one.is_duplicate))
  const entryOf = new Map(entries.map((entry) => [entry.dispatch_id, entry]))
  const messages = await byShard<MessageRow, EntryRow>(tx, [...entryOf.values()], (part) =>
    prepared(sql`
    select distinct on (m.bucket, m.cause) m.cause, m.reason as message_reason, m.ended_at as message_ended_at,
      ${microseconds(sql`m.bounced_at`)} as bounced_us
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[]) w(bucket, cause)
    join message m on m.bucket = w.bucket and m.cause = w.cause::uuid
    where true ${withinPart(part, 'm')} order by m.bucket, m.cause, m.visit`),
  )
  const messageOf = new Map(messages.map((message) => [message.cause, message]))
  return orders.map((order) => {
    const entry = order.order_state === null ? undefined : entryOf.get(order.dispatch_id)
    const message = entry && messageOf.get(entry.entry_id)
    return {
      ...order,
      entry_state: entry?.entry_state ?? null,
      entry_ended: entry?.entry_ended ?? null,
      entry_ended_at: entry?.entry_ended_at ?? null,
      has_message: message !== undefined,
      message_reason: message?.message_reason ?? null,
      message_ended_at: message?.message_ended_at ?? null,
      bounced_us: message?.bounced_us ?? null,
    }
  })
}

/** What is stored of a send after a look or a call. `dueMs`: when it is due again, machine time, if ever. */
export type SendProgress = {
  readonly end: SendEnd | undefined
  readonly told: number
  readonly attempts: number
  readonly dueMs: number | undefined
}

/** Updates a claimed send. It is due now when something was recorded of it meanwhile, which `noteFact` shows. */
export async function updateSend(
  tx: Tx,
  { dispatch_id, claimed_until }: Pick<DueSend, 'dispatch_id' | 'claimed_until'>,
  { end, told, attempts, dueMs }: SendProgress,
  nowMs: number,
): Promise<void> {
  const due = dueMs === undefined ? sql`null` : timestampFromMs(dueMs)
  const endedAt = end === undefined ? sql`null` : timestampFromMs(end.at.getTime())
  await tx.query(
    prepared(sql`
    update transactional_send set reason = ${end?.reason ?? null}, ended_at = ${endedAt}, told = ${told}, attempts = ${attempts},
      due_at = case when due_at is distinct from ${timestampFromUsText(claimed_until)} then ${timestampFromMs(nowMs)} else ${due} end
    where dispatch_id = ${dispatch_id}::uuid`),
  )
}

/** Records that the mail of a send arrived, and makes the send due. `stampUs` is business time, `elapsedMs` machine time. */
export async function markDelivered(
  tx: Tx,
  { bucket, message_id }: MessageKey,
  stampUs: number,
  elapsedMs: number,
): Promise<void> {
  await tx.query(
    prepared(sql`
    update transactional_send t set delivered_at = ${timestampFromUs(stampUs)}, due_at = ${noteFact(elapsedMs)}
    from message m join entry e on e.bucket = m.bucket and e.entry_id = m.cause
    where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and t.dispatch_id = e.dispatch_id and t.delivered_at is null`),
  )
}

/** Makes the sends of messages due that have bounced. The messages are marked in the same transaction. Machine time. */
export async function makeBouncedDue(tx: Tx, messages: readonly MessageKey[], elapsedMs: number): Promise<void> {
  if (messages.length === 0) return
  await byShard<unknown, MessageKey>(tx, messages, (part) =>
    prepared(sql`
    update transactional_send t set due_at = ${noteFact(elapsedMs)}
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
    join message m on m.bucket = w.bucket and m.message_id = w.message_id
    join entry e on e.bucket = m.bucket and e.entry_id = m.cause
    where t.dispatch_id = e.dispatch_id ${withinPart(part, 'm')} ${withinPart(part, 'e')}`),
  )
}

/**
 * When a send with a new fact is due: now, or as before. A send that is being told keeps its claim, which becomes a microsecond longer, so
 * that its update notices the fact.
 */
function noteFact(elapsedMs: number): Sql {
  return sql`coalesce(t.due_at + interval '1 microsecond', ${timestampFromMs(elapsedMs)})`
}

/** Returns a time as epoch microseconds, which a double holds exactly. */
function microseconds(column: Sql): Sql {
  return sql`(extract(epoch from ${column}) * 1000000)::float8`
}
