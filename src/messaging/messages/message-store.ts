import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { ofKeptPeople } from '../../people/identity/current-store.ts'
import type { Person } from '../../people/identity/person.ts'
import type { EndState } from '../ledger/end-states.ts'
import { duplicateStepPrefix } from './duplicate-messages.ts'
import type { MessageClass, MessageKey } from './message.ts'
import type { MessageState } from './states.ts'

/** A message to insert: queued, or ended at once with a reason. */
export type NewMessage = {
  readonly person: Person
  readonly message_id: string
  readonly step: string
  readonly visit: number
  readonly ended?: { readonly state: EndState; readonly reason: string } | undefined
  /** When it is due, if not with the others; epoch milliseconds. */
  readonly dueMs?: number | undefined
}

/** A message that was inserted, and its person. */
type InsertedMessage = { readonly message_id: string; readonly bucket: number; readonly profile_id: string }

/** What the messages of one insert have in common. Times are business time. */
export type MessageCause = {
  readonly workspace_id: number
  readonly cause: string
  readonly channel: string
  readonly class: MessageClass
  readonly plannedMs: number
  readonly dueMs: number
  /** The canvas or campaign that they count for. */
  readonly flow_id?: number | null
  readonly flow_version?: number | null
  readonly variant?: string | null
}

/**
 * Inserts messages. Returns the new ones by id, with their people. A person who has a message of this cause already, or was deleted, gets
 * none. The message of a merged person goes to the kept profile, unless that has one. The statement fails when another process has made one
 * of the ids in the same moment; it succeeds with new ids.
 */
export async function insertMessages(
  tx: Tx,
  cause: MessageCause,
  messages: readonly NewMessage[],
): Promise<Map<string, InsertedMessage>> {
  if (messages.length === 0) return new Map()
  const given = tx.placement === undefined ? messages : oneForEach(await ofKeptPeople(tx, messages))
  const rows = await byShard<InsertedMessage, NewMessage>(tx, given, (part) => insertionOf(cause, part))
  return new Map(rows.map((row) => [row.message_id, row]))
}

/** Keeps the first message for each person, step and visit. */
function oneForEach(messages: readonly NewMessage[]): NewMessage[] {
  const kinds = Map.groupBy(messages, ({ person: { profile_id }, step, visit }) => `${profile_id} ${visit} ${step}`)
  return [...kinds.values()].map(([first]) => first!)
}

function insertionOf(cause: MessageCause, part: ShardPart<NewMessage>): Sql {
  const { workspace_id, channel, plannedMs, dueMs, flow_id = null, flow_version = null, variant = null } = cause
  return prepared(sql`
    insert into message (message_id, profile_id, bucket, workspace_id, cause, step, visit, channel, class, state, reason,
      planned_at, due_at, ended_at, flow_id, flow_version, variant)
    select v.message_id, coalesce(p.merged_into, p.profile_id), coalesce(p.merged_bucket, p.bucket), ${workspace_id}::int4,
      ${cause.cause}::uuid, v.step, v.visit, ${channel},
      ${cause.class}, v.state, v.reason, greatest(v.due_at, ${timestampFromMs(plannedMs)}), greatest(v.due_at, ${timestampFromMs(dueMs)}),
      case when v.reason is not null then ${timestampFromMs(dueMs)} end, ${flow_id}::int4, ${flow_version}::int4, ${variant}
    from unnest(
      ${int8Array(part.items.map((each) => each.message_id))}::int8[], ${int8Array(part.items.map((each) => each.person.key))}::int8[],
      ${int4Array(part.items.map((each) => each.person.bucket))}::int4[], ${textArray(part.items.map((each) => each.step))}::text[],
      ${int4Array(part.items.map((each) => each.visit))}::int4[],
      ${textArray(part.items.map((each) => each.ended?.state ?? 'queued'))}::text[],
      ${textArray(part.items.map((each) => each.ended?.reason ?? null))}::text[],
      ${timestampArray(part.items.map(({ dueMs: ms }) => (ms === undefined ? null : Math.round(ms * 1000))))}::timestamptz[])
      v(message_id, profile_id, bucket, step, visit, state, reason, due_at)
    join profile p on p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}
    order by coalesce(p.merged_bucket, p.bucket), coalesce(p.merged_into, p.profile_id), p.merged_into is not null
    on conflict (bucket, cause, profile_id, step, visit, channel) do nothing
    returning message_id, bucket, profile_id`)
}

/** Returns some messages of a cause that are in one of these states. */
export function listMessagesInStates(
  tx: Tx,
  cause: string,
  states: readonly MessageState[],
  limit: number,
): Promise<MessageKey[]> {
  return tx.query<MessageKey>(sql`
    select bucket, message_id from message
    where cause = ${cause}::uuid and state = any(${textArray(states)}::text[]) limit ${limit}`)
}

export type ChangedMessage = MessageKey & {
  profile_id: string
  step: string
  visit: number
  channel: string
  maybe_sent: boolean
}

/** A change from one of some states to another. */
export type StateChange = {
  readonly from: readonly MessageState[]
  readonly to: MessageState
  readonly reason: string | null
  /**
   * Business time of the end or of the resumption. A resumed message is planned anew from then on, so that the pause does not make it
   * expire.
   */
  readonly nowMs: number
}

/**
 * Changes the state of these messages, except those that are in another state or that another transaction has locked. A maybe_sent message
 * that ends becomes `uncertain`.
 */
export function changeMessageStates(
  tx: Tx,
  messages: readonly MessageKey[],
  { from, to, reason, nowMs }: StateChange,
): Promise<ChangedMessage[]> {
  const isEnd = reason !== null
  return byShard<ChangedMessage, MessageKey>(tx, messages, (part) =>
    prepared(sql`
    update message m set state = case when ${isEnd} and m.maybe_sent then 'uncertain' else ${to} end,
      reason = case when ${isEnd} and m.maybe_sent then 'uncertain' else ${reason} end, lease = null, leased_until = null,
      ended_at = case when ${isEnd} then ${timestampFromMs(nowMs)} end,
      planned_at = case when ${to} = 'queued' then greatest(m.planned_at, ${timestampFromMs(nowMs)}) else m.planned_at end
    from (
      select o.bucket, o.message_id
      from unnest(${int4Array(part.items.map((each) => each.bucket))}::int4[],
        ${int8Array(part.items.map((each) => each.message_id))}::int8[]) w(bucket, message_id)
      join message o on o.bucket = w.bucket and o.message_id = w.message_id and o.state = any(${textArray(from)}::text[])
      where true ${withinPart(part, 'o')} for update of o skip locked) v
    where m.bucket = v.bucket and m.message_id = v.message_id ${withinPart(part, 'm')}
    returning m.bucket, m.message_id, m.profile_id, m.step, m.visit, m.channel, m.maybe_sent`),
  )
}

export type MissedMessage = { bucket: number; profile_id: string; step: string; visit: number }

/** Returns the messages in these buckets that an order has missed. */
export function listMissedMessages(
  tx: Tx,
  cause: string,
  buckets: readonly number[],
  visitsBelow: number,
): Promise<MissedMessage[]> {
  return tx.query<MissedMessage>(sql`
    select bucket, profile_id, step, visit from message
    where bucket = any(${int4Array(buckets)}::int4[]) and cause = ${cause}::uuid and state = 'missed' and reason = 'missed'
      and step not like ${`${duplicateStepPrefix}%`} and visit < ${visitsBelow} order by bucket, profile_id`)
}

/** Returns some messages of entries of a flow that are in this state. */
export function listFlowMessages(
  tx: Tx,
  flow_id: number,
  state: 'queued' | 'held',
  limit: number,
): Promise<{ bucket: number; message_id: string }[]> {
  return tx.query(sql`
    select bucket, message_id from message
    where flow_id = ${flow_id} and state in ('queued', 'held') and state = ${state} and flow_version is not null limit ${limit}`)
}
