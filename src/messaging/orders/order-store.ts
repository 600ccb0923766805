import { int4Array, jsonbArray, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs } from '../../base/db/timestamps.ts'
import { allChannels } from '../channels/channels.ts'
import type { MessageClass } from '../messages/message.ts'
import type { Schedule } from './schedule.ts'
import type { Sending } from './sending.ts'

export type OrderState = 'active' | 'paused' | 'cancelled'

export type NewOrder = {
  readonly dispatch_id: string
  readonly schedule_id: string | null
  readonly workspace_id: number
  readonly class: MessageClass
  readonly sending: Sending
  readonly schedule?: Schedule | undefined
  readonly send_id?: string | undefined
}

/** Inserts an order. `stampUs` differs for the orders of a process, so that lists have one sequence while a virtual clock does not move. */
export async function insertOrder(tx: Tx, order: NewOrder, stampUs: number): Promise<void> {
  const { dispatch_id, schedule_id, workspace_id, class: kind, sending, schedule, send_id } = order
  await tx.query(
    prepared(sql`
    insert into dispatch (dispatch_id, workspace_id, schedule_id, class, state, sending, schedule, send_id, flow_id, created_at, updated_at)
    values (${dispatch_id}::uuid, ${workspace_id}, ${schedule_id}::uuid, ${kind}, 'active', ${JSON.stringify(sending)}::jsonb,
      ${schedule ? JSON.stringify(schedule) : null}::jsonb, ${send_id ?? null},
      ${sending.flow?.flow_id ?? null}::int4, ${timestampFromUs(stampUs)}, ${timestampFromUs(stampUs)})`),
  )
}

export type LockedOrder = { dispatch_id: string; workspace_id: number; class: MessageClass; state: OrderState }

export async function lockOrder(tx: Tx, workspace_id: number, dispatch_id: string): Promise<LockedOrder | undefined> {
  const [row] = await tx.query<LockedOrder>(sql`
    select dispatch_id, workspace_id, class, state from dispatch
    where dispatch_id = ${dispatch_id}::uuid and workspace_id = ${workspace_id} for update`)
  return row
}

export type ScheduledOrder = LockedOrder & { schedule: Schedule; sending: Sending }

export async function lockScheduledOrder(
  tx: Tx,
  workspace_id: number,
  schedule_id: string,
): Promise<ScheduledOrder | undefined> {
  const [row] = await tx.query<ScheduledOrder>(sql`
    select dispatch_id, workspace_id, class, state, schedule, sending from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id} for update`)
  return row
}

/** Returns the `flow_id` of the campaign that the messages of a scheduled order belong to. */
export async function findOrderCampaign(
  tx: Tx,
  workspace_id: number,
  schedule_id: string,
): Promise<number | undefined> {
  const [row] = await tx.query<{ flow_id: number | null }>(sql`
    select (sending -> 'campaign' ->> 'flow_id')::int as flow_id from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id}`)
  return row?.flow_id ?? undefined
}

/** Replaces the schedule, and `sending` if it is given. */
export async function updateOrderContent(
  tx: Tx,
  dispatch_id: string,
  { schedule, sending }: { schedule: Schedule; sending?: Sending | undefined },
  nowMs: number,
): Promise<void> {
  await tx.query(sql`
    update dispatch set schedule = ${JSON.stringify(schedule)}::jsonb,
      sending = coalesce(${sending ? JSON.stringify(sending) : null}::jsonb, sending), updated_at = ${timestampFromMs(nowMs)}
    where dispatch_id = ${dispatch_id}::uuid`)
}

/** Changes the state of an order. Its messages follow page by page while it is `unsettled`. */
export async function updateOrderState(tx: Tx, dispatch_id: string, state: OrderState, nowMs: number): Promise<void> {
  await tx.query(sql`
    update dispatch set state = ${state}, unsettled = true, updated_at = ${timestampFromMs(nowMs)},
      resumed_at = case when ${state} = 'active' then ${timestampFromMs(nowMs)} else resumed_at end
    where dispatch_id = ${dispatch_id}::uuid`)
}

export async function listUnsettledOrders(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.query<{ dispatch_id: string }>(sql`
    select dispatch_id from dispatch where unsettled order by updated_at desc limit ${limit}`)
  return rows.map(({ dispatch_id }) => dispatch_id)
}

/** Locks an unsettled order. Returns undefined when it is settled or another transaction has locked it. */
export async function lockUnsettledOrder(tx: Tx, dispatch_id: string): Promise<LockedOrder | undefined> {
  const [row] = await tx.query<LockedOrder>(sql`
    select dispatch_id, workspace_id, class, state from dispatch
    where dispatch_id = ${dispatch_id}::uuid and unsettled for update skip locked`)
  return row
}

export async function markOrderSettled(tx: Tx, dispatch_id: string): Promise<void> {
  await tx.query(sql`update dispatch set unsettled = false where dispatch_id = ${dispatch_id}::uuid`)
}

export type OldOrder = { dispatch_id: string; created_at: Date }

/** Lists orders of a workspace that were accepted before a time and have no open slot, the oldest first. */
export async function listOldOrders(
  tx: Tx,
  workspace_id: number,
  beforeMs: number,
  after: OldOrder | undefined,
  limit: number,
): Promise<OldOrder[]> {
  const page = after
    ? sql`and (d.created_at, d.dispatch_id) > (${after.created_at}::timestamptz, ${after.dispatch_id}::uuid)`
    : sql``
  return tx.query<OldOrder>(sql`
    select d.dispatch_id, d.created_at from dispatch d
    where d.workspace_id = ${workspace_id} and d.created_at < ${timestampFromMs(beforeMs)} ${page}
      and not exists (select 1 from dispatch_slot s
        where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'held', 'running'))
    order by d.created_at, d.dispatch_id limit ${limit}`)
}

/** Deletes an order that has no messages, entries or open slots. Returns false when it has some. */
export async function deleteOrder(tx: Tx, dispatch_id: string): Promise<boolean> {
  const deleted = await tx.query(sql`
    delete from dispatch d where d.dispatch_id = ${dispatch_id}::uuid
      and not exists (select 1 from message m where m.cause = d.dispatch_id)
      and not exists (select 1 from entry e where e.dispatch_id = d.dispatch_id)
      and not exists (select 1 from dispatch_slot s
        where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'held', 'running'))
    returning 1`)
  return deleted.length > 0
}

/** A recipient of orders: how orders name it, and the new name. Without a new name it is removed. */
export type RenamedRecipient = {
  readonly workspace_id: number
  readonly asked: object
  readonly becomes?: object | undefined
}

/** Members of a `Recipient` that name the person. */
const nameMembers = ['external_user_id', 'user_alias', 'email', 'prioritization', 'service_id', 'profile_id']

/** What remains of an order whose recipients were all deleted: no text, and no value that a text can show. */
const emptied = (): Sql => sql`(d.sending - 'audience') || jsonb_build_object('recipients', '[]'::jsonb)
        || ${emptiedContents()}
        || case when d.sending -> 'flow' is null then '{}'
          else jsonb_build_object('flow', (d.sending -> 'flow') - 'properties' - 'attachments') end`

/** What remains of the content of each channel. */
function emptiedContents(): Sql {
  const parts = allChannels().map(({ name, content: { remaining } }) => {
    const kept = sql`(select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(d.sending -> ${name}::text)
          where key = any(${textArray(remaining.kept)}::text[]))`
    const empty = JSON.stringify(Object.fromEntries(remaining.emptied.map((member) => [member, ''])))
    return sql`case when d.sending -> ${name}::text is null then '{}'
          else jsonb_build_object(${name}::text, ${empty}::jsonb || ${kept}) end`
  })
  return parts.reduce((all, part) => sql`${all} || ${part}`)
}

/**
 * Renames or removes recipients in every order. A list that becomes empty stays: the order has no recipients then. Its content is removed,
 * because it may contain data of the removed recipients.
 */
export async function renameRecipients(tx: Tx, renamed: readonly RenamedRecipient[]): Promise<void> {
  const workspaces = int4Array(renamed.map(({ workspace_id }) => workspace_id))
  await tx.query(
    prepared(sql`
    update dispatch d set sending = (
      select case when l.recipients is null then ${emptied()} else jsonb_set(d.sending, '{recipients}', l.recipients) end
      from (
        select jsonb_agg(
          case when w.asked is null then r.value else r.value - ${textArray(nameMembers)}::text[] || w.becomes end order by r.ordinality)
          as recipients
        from jsonb_array_elements(d.sending -> 'recipients') with ordinality r
        left join unnest(${workspaces}::int4[], ${jsonbArray(renamed.map(({ asked }) => JSON.stringify(asked)))}::jsonb[],
          ${jsonbArray(renamed.map(({ becomes }) => (becomes ? JSON.stringify(becomes) : null)))}::jsonb[])
          w(workspace_id, asked, becomes) on w.workspace_id = d.workspace_id and r.value @> w.asked
        where w.asked is null or w.becomes is not null) l)
    where d.dispatch_id in (
      select o.dispatch_id from unnest(${workspaces}::int4[],
        ${jsonbArray(renamed.map(({ asked }) => JSON.stringify([asked])))}::jsonb[]) w(workspace_id, asked)
      join dispatch o on o.workspace_id = w.workspace_id and o.sending -> 'recipients' @> w.asked)`),
  )
}
