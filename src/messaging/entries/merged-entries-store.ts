import { boolArray, int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, byShardNumbered, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { join, prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Move, Person } from '../../people/identity/person.ts'
import { moveRows, personRows } from '../../people/identity/person-store.ts'
import type { ReceivedKey } from '../../people/received/received.ts'
import { addDeletedCounts, type DeletedCount } from '../messages/deleted-messages-store.ts'
import type { MergingEntry, ResolvedEntry } from './duplicate-entries.ts'
import { entryChannel } from './entry.ts'
import { isPendingRow } from './pending-store.ts'

/** An entry of a merged or a kept profile. */
export type MergingEntryRow = MergingEntry & {
  readonly bucket: number
  readonly workspace_id: number
  readonly version: number
  readonly step: string
  /** It begins later: nobody has entered by it yet. */
  readonly is_pending: boolean
}

const columns = sql`e.bucket, e.entry_id, e.workspace_id, e.flow_id, e.dispatch_id, e.state, e.ended, e.step, e.visit, e.is_duplicate,
  e.version, ${isPendingRow} as is_pending`

/** Locks the entries of merged profiles. Waits for transactions that move one of them. */
export function lockMergedEntries(tx: Tx, moves: readonly Move[]): Promise<MergingEntryRow[]> {
  return byShardNumbered<MergingEntryRow, Move>(
    tx,
    moves,
    (part) =>
      prepared(sql`
    select w.n::int as n, ${columns}
    from ${moveRows(part.items)} with ordinality w(bucket, profile_id, into_bucket, into_id, n)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id
    where true ${withinPart(part, 'e')} order by e.bucket, e.entry_id for update of e`),
    ({ from }) => from.bucket,
  )
}

/** Locks the entries that the kept profiles have of the same orders. */
export async function lockKeptEntries(
  tx: Tx,
  moves: readonly Move[],
  merged: readonly MergingEntryRow[],
): Promise<MergingEntryRow[]> {
  const wanted = merged.filter(({ dispatch_id, is_duplicate }) => dispatch_id !== null && !is_duplicate)
  if (wanted.length === 0) return []
  const kept = wanted.map(({ n, dispatch_id }) => ({ n, dispatch_id, person: moves[n - 1]!.into }))
  return byShard<MergingEntryRow, (typeof kept)[number]>(tx, kept, (part) =>
    prepared(sql`
    select w.n, ${columns}
    from (select distinct on (bucket, profile_id, dispatch_id) * from unnest(
      ${int4Array(part.items.map(({ person }) => person.bucket))}::int4[], ${int8Array(part.items.map(({ person }) => person.key))}::int8[],
      ${int4Array(part.items.map(({ n }) => n))}::int4[], ${textArray(part.items.map(({ dispatch_id }) => dispatch_id))}::text[])
      w(bucket, profile_id, n, dispatch_id)) w
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.dispatch_id = w.dispatch_id::uuid and not e.is_duplicate
    where true ${withinPart(part, 'e')} order by e.bucket, e.entry_id for update of e`),
  )
}

export type PersonInFlow = { profile_id: string; flow_id: number }

/** Returns which of these people have an open entry in the flow that is named with them. */
export async function listPeopleInFlows(tx: Tx, wanted: readonly ReceivedKey[]): Promise<PersonInFlow[]> {
  if (wanted.length === 0) return []
  return byShard<PersonInFlow, ReceivedKey>(tx, wanted, (part) =>
    prepared(sql`
    select distinct w.profile_id, w.flow_id from unnest(
      ${int4Array(part.items.map(({ person }) => person.bucket))}::int4[],
      ${int8Array(part.items.map(({ person }) => person.profile_id))}::int8[],
      ${int4Array(part.items.map(({ flow_id }) => flow_id))}::int4[]) w(bucket, profile_id, flow_id)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.flow_id = w.flow_id and e.state <> 'ended'
      ${withinPart(part, 'e')}`),
  )
}

/** Marks entries of kept profiles as duplicates, before entries of merged profiles count instead of them. */
export async function markDuplicates(tx: Tx, entries: readonly MergingEntryRow[]): Promise<void> {
  if (entries.length === 0) return
  await byShard<unknown, MergingEntryRow>(tx, entries, (part) =>
    prepared(sql`
    update entry e set is_duplicate = true from unnest(
      ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[], ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[])
      w(bucket, entry_id)
    where e.bucket = w.bucket and e.entry_id = w.entry_id::uuid ${withinPart(part, 'e')}`),
  )
}

/** Columns that a move keeps. */
const keptColumns = [
  ...[
    'entry_id',
    'workspace_id',
    'flow_id',
    'version',
    'class',
    'dispatch_id',
    'variant',
    'in_control',
    'step',
    'visit',
  ],
  ...['visits', 'is_last', 'properties', 'event', 'timing', 'entered_at', 'trail'],
]

/** The message of the entry was moved to the kept profile before it and has ended there: nothing else would move the entry. */
const hasLostMessage = `state = 'sending' and not exists (select 1 from message m
      where m.bucket in (deleted.bucket, deleted.into_bucket) and m.cause = deleted.entry_id and m.ended_at is null)`

/** Columns that a move may change, with their expressions. */
const changedColumns = (ended: Sql): Readonly<Record<string, Sql>> => ({
  bucket: raw('into_bucket'),
  profile_id: raw('into_id'),
  is_duplicate: raw('new_is_duplicate'),
  state: raw(`case when ends then 'ended' when ${hasLostMessage} then 'waiting' else state end`),
  ended: raw(`case when ends then 'merged' else ended end`),
  held: raw('held and not ends'),
  due_at: sql`case when ends then null when ${raw(hasLostMessage)} then ${ended} else due_at end`,
  ended_at: sql`case when ends then ${ended} else ended_at end`,
})

/** Every column of the table: a test compares the list with the database. */
export const storedEntryColumns: readonly string[] = [...keptColumns, ...Object.keys(changedColumns(raw('')))]

/**
 * Moves entries to the kept profiles. Returns false when another transaction has just inserted an entry with the same key; then nothing may
 * be committed.
 */
export async function moveMergedEntries(
  tx: Tx,
  moves: readonly Move[],
  resolved: readonly ResolvedEntry<MergingEntryRow>[],
  stampUs: number,
): Promise<boolean> {
  const move = (part: ShardPart<ResolvedEntry<MergingEntryRow>>) => {
    const into = part.items.map(({ entry }) => moves[entry.n - 1]!.into)
    return prepared(sql`
    with deleted as (
      delete from entry e using unnest(
        ${int4Array(part.items.map(({ entry }) => entry.bucket))}::int4[],
        ${textArray(part.items.map(({ entry }) => entry.entry_id))}::text[],
        ${boolArray(part.items.map(({ ends }) => ends))}::bool[], ${boolArray(part.items.map(({ is_duplicate }) => is_duplicate))}::bool[],
        ${int4Array(into.map(({ bucket }) => bucket))}::int4[], ${int8Array(into.map(({ key }) => key))}::int8[])
        w(bucket, entry_id, ends, new_is_duplicate, into_bucket, into_id)
      where e.bucket = w.bucket and e.entry_id = w.entry_id::uuid ${withinPart(part, 'e')}
      returning e.*, w.ends, w.new_is_duplicate, w.into_bucket, w.into_id)
    insert into entry (${raw(storedEntryColumns.join(', '))})
    select ${raw(keptColumns.join(', '))}, ${join(Object.values(changedColumns(timestampFromUs(stampUs))), ', ')} from deleted
    on conflict do nothing returning 1`)
  }
  const moved = await byShard(tx, resolved, move, ({ entry }) => entry.bucket)
  return moved.length === resolved.length
}

/** Deletes the entries of these people, and counts them by their end, for each flow and for each order. */
export async function deletePeopleEntries(tx: Tx, people: readonly Person[]): Promise<void> {
  const counts = await byShard<DeletedCount, Person>(tx, people, (part) =>
    prepared(sql`
    with deleted as (
      delete from entry e using ${personRows(part.items)} w(bucket, profile_id)
      where e.bucket = w.bucket and e.profile_id = w.profile_id ${withinPart(part, 'e')}
      returning e.flow_id, e.dispatch_id, coalesce(e.ended, 'deleted') as ended),
    counted as (
      insert into deleted_entries as d (flow_id, ended, count)
      select flow_id, ended, count(*) from deleted group by flow_id, ended order by flow_id, ended
      on conflict (flow_id, ended) do update set count = d.count + excluded.count)
    select dispatch_id as cause, ${entryChannel} as channel, ended as reason, count(*)::int as count from deleted
    where dispatch_id is not null group by dispatch_id, ended`),
  )
  await addDeletedCounts(tx, counts)
}
