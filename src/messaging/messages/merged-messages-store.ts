import { boolArray, int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardNumbered, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { join, prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Move, Person } from '../../people/identity/person.ts'
import { moveRows, personRows } from '../../people/identity/person-store.ts'
import { addDeletedCounts, type DeletedCount } from './deleted-messages-store.ts'
import type { MergingMessage, ResolvedMessage } from './duplicate-messages.ts'

/** A message of a merged or a kept profile. `n` is the number of the move, from 1. */
export type MergingMessageRow = MergingMessage & {
  readonly n: number
  readonly workspace_id: number
  readonly cause: string
  readonly channel: string
}

const columns = sql`m.bucket, m.message_id, m.workspace_id, m.cause, m.step, m.visit, m.channel, m.state,
  m.maybe_sent`

/** Locks the messages of merged profiles. Waits for transactions that deliver one of them. */
export function lockMergedMessages(tx: Tx, moves: readonly Move[]): Promise<MergingMessageRow[]> {
  return byShardNumbered<MergingMessageRow, Move>(
    tx,
    moves,
    (part) =>
      prepared(sql`
    select w.n::int as n, ${columns}
    from ${moveRows(part.items)} with ordinality w(bucket, profile_id, into_bucket, into_id, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id
    where true ${withinPart(part, 'm')} order by m.bucket, m.message_id for update of m`),
    ({ from }) => from.bucket,
  )
}

/** Locks the messages that the kept profiles have of the same causes. */
export async function lockKeptMessages(
  tx: Tx,
  moves: readonly Move[],
  merged: readonly MergingMessageRow[],
): Promise<MergingMessageRow[]> {
  const wanted = [...Map.groupBy(merged, ({ n, cause }) => `${n}/${cause}`).values()].map(([first]) => first!)
  const kept = wanted.map(({ n, cause }) => ({ n, cause, person: moves[n - 1]!.into }))
  return byShard<MergingMessageRow, (typeof kept)[number]>(tx, kept, (part) =>
    prepared(sql`
    select w.n, ${columns}
    from unnest(
      ${int4Array(part.items.map(({ person }) => person.bucket))}::int4[], ${int8Array(part.items.map(({ person }) => person.key))}::int8[],
      ${int4Array(part.items.map(({ n }) => n))}::int4[], ${textArray(part.items.map(({ cause }) => cause))}::text[])
      w(bucket, profile_id, n, cause)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.cause = w.cause::uuid
    where true ${withinPart(part, 'm')} order by m.bucket, m.message_id for update of m`),
  )
}

function resolvedRows(resolved: readonly ResolvedMessage<MergingMessageRow>[]): Sql {
  return sql`unnest(
      ${int4Array(resolved.map(({ message }) => message.bucket))}::int4[],
      ${int8Array(resolved.map(({ message }) => message.message_id))}::int8[],
      ${textArray(resolved.map(({ step }) => step))}::text[], ${boolArray(resolved.map(({ because }) => because !== undefined))}::bool[]`
}

/** Updates messages of kept profiles, before the messages of merged profiles get their keys. */
export async function updateKeptMessages(
  tx: Tx,
  resolved: readonly ResolvedMessage<MergingMessageRow>[],
  stampUs: number,
): Promise<void> {
  if (resolved.length === 0) return
  await byShard<unknown, (typeof resolved)[number]>(
    tx,
    resolved,
    (part) =>
      prepared(sql`
    update message m set step = w.step,
      state = case when w.ends and m.maybe_sent then 'uncertain' when w.ends then 'cancelled' else m.state end,
      reason = case when w.ends and m.maybe_sent then 'uncertain' when w.ends then 'merged' else m.reason end,
      ended_at = case when w.ends then ${timestampFromUs(stampUs)} else m.ended_at end,
      lease = case when w.ends then null else m.lease end, leased_until = case when w.ends then null else m.leased_until end
    from ${resolvedRows(part.items)}) w(bucket, message_id, step, ends)
    where m.bucket = w.bucket and m.message_id = w.message_id ${withinPart(part, 'm')}`),
    ({ message }) => message.bucket,
  )
}

/** Columns that a move keeps. */
const keptColumns = [
  ...[
    'message_id',
    'workspace_id',
    'cause',
    'visit',
    'channel',
    'class',
    'planned_at',
    'due_at',
    'attempts',
    'crashes',
    'rates_granted',
  ],
  ...['maybe_sent', 'address', 'subject', 'links', 'warnings', 'response', 'bounced_at', 'complained_at', 'left_at'],
  ...['flow_id', 'flow_version', 'variant'],
]

/** Columns that a move may change, with their expressions. */
const changedColumns = (ended: Sql): Readonly<Record<string, Sql>> => ({
  bucket: raw('into_bucket'),
  profile_id: raw('into_id'),
  step: raw('new_step'),
  state: raw(
    `case when ends and maybe_sent then 'uncertain' when ends then 'cancelled' when state = 'leased' then 'queued' else state end`,
  ),
  reason: raw(`case when ends and maybe_sent then 'uncertain' when ends then 'merged' else reason end`),
  lease: raw(`case when not ends and state = 'handed_over' then lease end`),
  leased_until: raw(`case when not ends and state = 'handed_over' then leased_until end`),
  ended_at: sql`case when ends then ${ended} else ended_at end`,
})

/** Every column of the table: a test compares the list with the database. */
export const messageColumns: readonly string[] = [...keptColumns, ...Object.keys(changedColumns(raw('')))]

/**
 * Moves messages to the kept profiles. Returns false when another transaction has just inserted a message with the same key; then nothing
 * may be committed. A leased message is queued again, because its mail was prepared for the merged profile. A message that a server may
 * have keeps its lease.
 */
export async function moveMergedMessages(
  tx: Tx,
  moves: readonly Move[],
  resolved: readonly ResolvedMessage<MergingMessageRow>[],
  stampUs: number,
): Promise<boolean> {
  const move = (part: ShardPart<ResolvedMessage<MergingMessageRow>>) => {
    const into = part.items.map(({ message }) => moves[message.n - 1]!.into)
    return prepared(sql`
    with deleted as (
      delete from message m using ${resolvedRows(part.items)},
        ${int4Array(into.map(({ bucket }) => bucket))}::int4[], ${int8Array(into.map(({ key }) => key))}::int8[])
        w(bucket, message_id, step, ends, into_bucket, into_id)
      where m.bucket = w.bucket and m.message_id = w.message_id ${withinPart(part, 'm')}
      returning m.*, w.step as new_step, w.ends, w.into_bucket, w.into_id)
    insert into message (${raw(messageColumns.join(', '))})
    select ${raw(keptColumns.join(', '))}, ${join(Object.values(changedColumns(timestampFromUs(stampUs))), ', ')} from deleted
    on conflict do nothing returning 1`)
  }
  const moved = await byShard(tx, resolved, move, ({ message }) => message.bucket)
  return moved.length === resolved.length
}

/**
 * Deletes the messages of these people, and counts those of orders by reason. Messages of entries are not counted, because the entries are.
 */
export async function deletePeopleMessages(tx: Tx, people: readonly Person[]): Promise<void> {
  const counts = await byShard<DeletedCount, Person>(tx, people, (part) =>
    prepared(sql`
    with deleted as (
      delete from message m using ${personRows(part.items)} w(bucket, profile_id)
      where m.bucket = w.bucket and m.profile_id = w.profile_id ${withinPart(part, 'm')}
      returning m.cause, m.channel, m.flow_version,
        coalesce(m.reason, case when m.state = 'handed_over' or m.maybe_sent then 'uncertain' else 'deleted' end) as reason)
    select cause, channel, reason, count(*)::int as count from deleted where flow_version is null group by cause, channel, reason`),
  )
  await addDeletedCounts(tx, counts)
}
