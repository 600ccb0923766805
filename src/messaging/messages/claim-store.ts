import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, onEveryShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { distinctLanes, sharesLeft } from './fair-shares.ts'
import type { LeasedMessage, MessageKey, MessageLane, Queue } from './message.ts'
import type { MessageState } from './states.ts'

type LeasedRow = Omit<LeasedMessage, 'plannedMs'> & { planned_at: Date }

const leasedColumns = sql`m.bucket, m.message_id, m.profile_id, m.workspace_id, m.cause, m.step, m.visit, m.channel, m.class,
  m.planned_at, m.attempts, m.crashes::int4 as crashes,
  m.rates_granted::int4 as rates_granted, m.maybe_sent, m.flow_id, m.flow_version, m.variant, m.lease`

function leasedFromRow({ planned_at, ...row }: LeasedRow): LeasedMessage {
  return { ...row, plannedMs: planned_at.getTime() }
}

/** Has a row when a message of these queues is due, or a lease has expired at `elapsedMs`, machine time. */
export function claimProbe(queues: readonly Queue[], nowMs: number, elapsedMs: number | undefined): Sql {
  const due = dueMessageProbe(queues, nowMs)
  return elapsedMs === undefined ? due : sql`${due} union all (${expiredLeaseProbe(elapsedMs)})`
}

function dueMessageProbe(queues: readonly Queue[], nowMs: number): Sql {
  return sql`
    select 1 from ${queueRows(queues)} w(workspace_id, channel)
    cross join (values ('transactional'), ('marketing')) c(class)
    cross join lateral (
      select 1 from message m
      where m.workspace_id = w.workspace_id and m.channel = w.channel and m.class = c.class and m.state = 'queued'
        and m.crashes = 0 and m.due_at <= ${timestampFromMs(nowMs)}
      order by m.due_at limit 1) o
    union all
    select 1 from ${queueRows(queues)} w(workspace_id, channel)
    join message m on m.workspace_id = w.workspace_id and m.channel = w.channel and m.state = 'queued' and m.crashes > 0
      and m.due_at <= ${timestampFromMs(nowMs)}`
}

/** Has a row when the lease of a message has passed its deadline at `nowMs`, machine time. */
function expiredLeaseProbe(nowMs: number): Sql {
  return sql`
    select 1 from message m where m.state in ('leased', 'handed_over') and m.leased_until <= ${timestampFromMs(nowMs)} limit 1`
}

/** Returns the lanes that have messages due. Takes one step in the index for each lane. */
export async function listDueMessageLanes(tx: Tx, queues: readonly Queue[], nowMs: number): Promise<MessageLane[]> {
  const lanes = await onEveryShard<MessageLane>(tx, (part) =>
    prepared(sql`
    select w.workspace_id, w.channel, c.class
    from ${queueRows(queues)} w(workspace_id, channel) cross join (values ('transactional'), ('marketing')) c(class)
    cross join lateral (
      select 1 from message m
      where m.workspace_id = w.workspace_id and m.channel = w.channel and m.class = c.class and m.state = 'queued'
        and m.crashes = 0 and m.due_at <= ${timestampFromMs(nowMs)} ${withinPart(part, 'm')}
      order by m.due_at limit 1) o`),
  )
  return tx.placement === undefined ? lanes : distinctLanes(lanes)
}

/**
 * The most messages that one claim takes. The limit is a literal: without it PostgreSQL expects a tenth of the queue and reads the whole
 * table.
 */
const claimedMax = 1_000

/** Leases the messages that were due first, up to the share of each lane. Skips rows that other transactions have locked. */
export async function claimMessages(
  tx: Tx,
  shares: readonly (MessageLane & { count: number })[],
  { lease, nowMs, untilMs }: { lease: string; nowMs: number; untilMs: number },
): Promise<LeasedMessage[]> {
  const claim = (part: ShardPart, taken: readonly LeasedRow[]) => {
    const left = sharesLeft<MessageLane>(shares, taken)
    return prepared(sql`
    with o as materialized (
      select o.bucket, o.message_id from unnest(
        ${int4Array(left.map((share) => share.workspace_id))}::int4[], ${textArray(left.map((share) => share.channel))}::text[],
        ${textArray(left.map((share) => share.class))}::text[], ${int4Array(left.map((share) => share.count))}::int4[])
        w(workspace_id, channel, class, count)
      cross join lateral (
        select q.bucket, q.message_id from message q
        where q.workspace_id = w.workspace_id and q.channel = w.channel and q.class = w.class and q.state = 'queued'
          and q.crashes = 0 and q.due_at <= ${timestampFromMs(nowMs)} ${withinPart(part, 'q')}
        order by q.due_at limit w.count for update skip locked) o
      limit ${raw(String(claimedMax))})
    update message m set state = 'leased', lease = ${lease}::uuid, leased_until = ${timestampFromMs(untilMs)}, attempts = m.attempts + 1
    from o where m.bucket = o.bucket and m.message_id = o.message_id ${withinPart(part, 'm')}
    returning ${leasedColumns}`)
  }
  const rows = await untilFull<LeasedRow>(tx, claim, (taken) => sharesLeft<MessageLane>(shares, taken).length === 0)
  return rows.map(leasedFromRow)
}

function queueRows(queues: readonly Queue[]): Sql {
  return sql`unnest(${int4Array(queues.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(queues.map(({ channel }) => channel))}::text[])`
}

/** A queued message that a process had leased when it ended, and that none has prepared since. */
export type SuspectRow = MessageLane & MessageKey & { readonly crashes: number }

/** Returns of each lane the first suspect that is due, and the first one that has more than one crash. */
export function listDueSuspects(tx: Tx, queues: readonly Queue[], nowMs: number): Promise<SuspectRow[]> {
  return tx.query<SuspectRow>(
    prepared(sql`
    select distinct on (m.workspace_id, m.channel, m.class, m.crashes > 1)
      m.workspace_id, m.channel, m.class, m.bucket, m.message_id, m.crashes::int4 as crashes
    from ${queueRows(queues)} w(workspace_id, channel)
    join message m on m.workspace_id = w.workspace_id and m.channel = w.channel and m.state = 'queued' and m.crashes > 0
      and m.due_at <= ${timestampFromMs(nowMs)}
    order by m.workspace_id, m.channel, m.class, m.crashes > 1, m.due_at`),
  )
}

/** Leases these messages, except those that are not queued any more or that other transactions have locked. */
export async function claimSuspects(
  tx: Tx,
  suspects: readonly MessageKey[],
  { lease, untilMs }: { lease: string; untilMs: number },
): Promise<LeasedMessage[]> {
  const rows = await byShard<LeasedRow, MessageKey>(tx, suspects, (part) =>
    prepared(sql`
    update message m set state = 'leased', lease = ${lease}::uuid, leased_until = ${timestampFromMs(untilMs)}, attempts = m.attempts + 1
    from (
      select q.bucket, q.message_id
      from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
        ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
      join message q on q.bucket = w.bucket and q.message_id = w.message_id and q.state = 'queued'
      where true ${withinPart(part, 'q')} for update of q skip locked) o
    where m.bucket = o.bucket and m.message_id = o.message_id ${withinPart(part, 'm')}
    returning ${leasedColumns}`),
  )
  return rows.map(leasedFromRow)
}

/** The key of a leased message, and the lease that it must still have. */
export type MessageLease = Pick<LeasedMessage, 'bucket' | 'message_id' | 'lease'>

export function leaseRows(messages: readonly MessageLease[]): Sql {
  return sql`unnest(
      ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${int8Array(messages.map(({ message_id }) => message_id))}::int8[],
      ${textArray(messages.map(({ lease }) => lease))}::text[])`
}

/**
 * Whether `m` is leased. The concatenation keeps PostgreSQL from the index of leased messages, which until the next vacuum holds every
 * message that was leased: there are keys to look up.
 */
export const isLeased: Sql = sql`(m.state || '') in ('leased', 'handed_over')`

/** A message whose lease has passed its deadline. */
export type ExpiredMessage = LeasedMessage & { readonly state: MessageState; readonly address: string | null }

/** Returns whether the lease of any message has passed its deadline at `nowMs`, machine time. */
export async function hasExpiredLeases(tx: Tx, nowMs: number): Promise<boolean> {
  const rows = await tx.query(prepared(expiredLeaseProbe(nowMs)))
  return rows.length > 0
}

/** Locks messages whose lease has passed its deadline at `nowMs`, machine time; the oldest deadlines first. */
export async function lockExpiredMessages(tx: Tx, nowMs: number, limit: number): Promise<ExpiredMessage[]> {
  type Row = LeasedRow & { state: MessageState; address: string | null }
  const lock = (part: ShardPart, taken: readonly Row[]) =>
    prepared(sql`
    select ${leasedColumns}, m.state, m.address from message m
    where m.state in ('leased', 'handed_over') and m.leased_until <= ${timestampFromMs(nowMs)} ${withinPart(part, 'm')}
    order by m.leased_until limit ${limit - taken.length} for update skip locked`)
  const rows = await untilFull<Row>(tx, lock, (taken) => taken.length >= limit)
  return rows.map(({ state, address, ...row }) => ({ ...leasedFromRow(row), state, address }))
}

/** Extends the leases of messages. Returns the ids of those that still had the lease. */
export async function renewLeases(tx: Tx, messages: readonly MessageLease[], untilMs: number): Promise<Set<string>> {
  const rows = await byShard<{ message_id: string }, MessageLease>(tx, messages, (part) =>
    prepared(sql`
    update message m set leased_until = ${timestampFromMs(untilMs)}
    from ${leaseRows(part.items)} w(bucket, message_id, lease)
    where m.bucket = w.bucket and m.message_id = w.message_id and m.lease = w.lease::uuid and ${isLeased} ${withinPart(part, 'm')}
    returning m.message_id`),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}

/** Sets the crashes of messages that still have their lease to 0. */
export async function writeNoCrashes(tx: Tx, messages: readonly MessageLease[]): Promise<void> {
  await byShard<unknown, MessageLease>(tx, messages, (part) =>
    prepared(sql`
    update message m set crashes = 0 from ${leaseRows(part.items)} w(bucket, message_id, lease)
    where m.bucket = w.bucket and m.message_id = w.message_id and m.lease = w.lease::uuid and ${isLeased} ${withinPart(part, 'm')}`),
  )
}

/** Returns where messages are now whose people were merged into others, by `message_id`. */
export async function findMergedMessages(
  tx: Tx,
  messages: readonly LeasedMessage[],
): Promise<Map<string, Pick<LeasedMessage, 'bucket' | 'profile_id'>>> {
  const rows = await (tx.placement === undefined ? joinMerged(tx, messages) : lookMergedUp(tx, messages))
  return new Map(rows.map(({ message_id, ...key }) => [message_id, key]))
}

type MergedRow = { message_id: string; bucket: number; profile_id: string }

function joinMerged(tx: Tx, messages: readonly LeasedMessage[]): Promise<MergedRow[]> {
  return tx.query<MergedRow>(
    prepared(sql`
    select m.message_id, m.bucket, m.profile_id
    from unnest(
      ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${int8Array(messages.map(({ profile_id }) => profile_id))}::int8[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[]) w(bucket, profile_id, message_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is not null
    join message m on m.bucket = p.merged_bucket and m.message_id = w.message_id`),
  )
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookMergedUp(tx: Tx, messages: readonly LeasedMessage[]): Promise<MergedRow[]> {
  const merged = await byShard<{ message_id: string; bucket: number }, LeasedMessage>(tx, messages, (part) =>
    prepared(sql`
    select w.message_id, p.merged_bucket as bucket
    from unnest(
      ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[], ${int8Array(part.items.map(({ profile_id }) => profile_id))}::int8[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, profile_id, message_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is not null ${withinPart(part, 'p')}`),
  )
  return byShard<MergedRow, (typeof merged)[number]>(tx, merged, (part) =>
    prepared(sql`
    select m.message_id, m.bucket, m.profile_id
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
    join message m on m.bucket = w.bucket and m.message_id = w.message_id ${withinPart(part, 'm')}`),
  )
}

/** Returns the number of queued messages, counted up to `countMax`. */
export async function countQueuedMessages(tx: Tx, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (select 1 from message where state = 'queued' limit ${countMax}) m`)
  return row!.count
}
