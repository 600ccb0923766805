import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { ofKeptPeople } from '../../people/identity/current-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { endStateOf } from '../ledger/end-states.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { EntryMessage, MessageClass } from './message.ts'

/** A message of a step that an entry has arrived at. The version of the flow has its content. */
export type NewEntryMessage = {
  readonly person: Person
  readonly message_id: string
  readonly workspace_id: number
  readonly entry_id: string
  readonly step: string
  readonly visit: number
  readonly channel: string
  readonly class: MessageClass
  readonly flow_id: number
  readonly flow_version: number
  readonly variant: string | null
  /** Epoch milliseconds of business time. */
  readonly dueMs: number
}

/** An entry that has ended, and the reason with which its messages end. */
export type EndedEntry = { readonly bucket: number; readonly entry_id: string; readonly reason: Reason }

/** The `rates_granted` of a message that has not passed the rate of its flow: `delivery/throttle.ts`. */
const noRatesGranted = -1

/**
 * Queues messages of entries. A message that exists stays as it is. The statement fails when another process has made one of the ids in
 * the same moment; it succeeds with new ids.
 */
export async function insertEntryMessages(tx: Tx, messages: readonly NewEntryMessage[]): Promise<void> {
  if (messages.length === 0) return
  await byShard<unknown, NewEntryMessage>(tx, await ofKeptPeople(tx, messages), (part) =>
    prepared(sql`
    insert into message (message_id, profile_id, bucket, workspace_id, cause, step, visit, channel, class, state, planned_at, due_at,
      rates_granted, flow_id, flow_version, variant)
    select v.message_id, coalesce(p.merged_into, p.profile_id), coalesce(p.merged_bucket, p.bucket), v.workspace_id, v.cause::uuid,
      v.step, v.visit, v.channel, v.class, 'queued', v.due_at, v.due_at, ${noRatesGranted}::int2, v.flow_id, v.flow_version, v.variant
    from unnest(
      ${int8Array(part.items.map((each) => each.message_id))}::int8[], ${int8Array(part.items.map((each) => each.person.key))}::int8[],
      ${int4Array(part.items.map((each) => each.person.bucket))}::int4[],
      ${int4Array(part.items.map((each) => each.workspace_id))}::int4[],
      ${textArray(part.items.map((each) => each.entry_id))}::text[], ${textArray(part.items.map((each) => each.step))}::text[],
      ${int4Array(part.items.map((each) => each.visit))}::int4[], ${textArray(part.items.map((each) => each.class))}::text[],
      ${timestampArray(part.items.map((each) => Math.round(each.dueMs * 1000)))}::timestamptz[],
      ${int4Array(part.items.map((each) => each.flow_id))}::int4[], ${int4Array(part.items.map((each) => each.flow_version))}::int4[],
      ${textArray(part.items.map((each) => each.variant))}::text[], ${textArray(part.items.map((each) => each.channel))}::text[])
      v(message_id, profile_id, bucket, workspace_id, cause, step, visit, class, due_at, flow_id, flow_version, variant, channel)
    join profile p on p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}
    order by coalesce(p.merged_bucket, p.bucket), coalesce(p.merged_into, p.profile_id)
    on conflict (bucket, cause, profile_id, step, visit, channel) do nothing`),
  )
}

/** A message that ended with its entry. `maybe_sent`: a server may have taken an earlier attempt. */
export type CancelledMessage = {
  bucket: number
  profile_id: string
  message_id: string
  workspace_id: number
  cause: string
  step: string
  visit: number
  channel: string
  flow_id: number
  flow_version: number | null
  maybe_sent: boolean
  reason: Reason
}

/** Ends the messages of these entries that wait to be sent, except those that another transaction has locked. */
export function cancelWaitingMessages(
  tx: Tx,
  entries: readonly EndedEntry[],
  nowMs: number,
): Promise<CancelledMessage[]> {
  return byShard<CancelledMessage, EndedEntry>(tx, entries, (part) =>
    prepared(sql`
    update message m set state = case when m.maybe_sent then 'uncertain' else v.state end,
      reason = case when m.maybe_sent then 'uncertain' else v.reason end, ended_at = ${timestampFromMs(nowMs)}
    from (
      select o.bucket, o.message_id, w.state, w.reason
      from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
        ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[],
        ${textArray(part.items.map(({ reason }) => endStateOf(reason)))}::text[],
        ${textArray(part.items.map(({ reason }) => reason))}::text[])
        w(bucket, entry_id, state, reason)
      join message o on o.bucket = w.bucket and o.cause = w.entry_id::uuid and o.state in ('queued', 'held')
      where true ${withinPart(part, 'o')} for update of o skip locked) v
    where m.bucket = v.bucket and m.message_id = v.message_id ${withinPart(part, 'm')}
    returning m.bucket, m.profile_id, m.message_id, m.workspace_id, m.cause, m.step, m.visit, m.channel, m.flow_id,
      m.flow_version, m.maybe_sent, v.reason`),
  )
}

/**
 * Makes postponed messages due now whose entries do not wait for them any more, so that the next claim ends them. An entry that ends skips
 * its message while a worker has it locked, and the worker may have read the entry before. Locks the entries: an entry that ends later
 * finds its message queued.
 */
export async function hastenLeftMessages(tx: Tx, postponed: readonly EntryMessage[], nowMs: number): Promise<void> {
  if (postponed.length === 0) return
  await byShard<unknown, EntryMessage>(tx, postponed, (part) =>
    prepared(sql`
    with entered as (
      select w.bucket, w.message_id, e.state
      from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
        ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[],
        ${textArray(part.items.map(({ cause }) => cause))}::text[]) w(bucket, message_id, cause)
      join entry e on e.bucket = w.bucket and e.entry_id = w.cause::uuid
      where true ${withinPart(part, 'e')} order by e.bucket, e.entry_id for share of e)
    update message m set due_at = ${timestampFromMs(nowMs)} from entered v
    where v.state <> 'sending' and m.bucket = v.bucket and m.message_id = v.message_id and m.state = 'queued' ${withinPart(part, 'm')}`),
  )
}
