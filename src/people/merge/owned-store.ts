import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Move, Person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'
import type { MergePair } from './merge-states.ts'
import { type Combining, type OwnedTable, ownedTables } from './owned-tables.ts'

type Movable = Extract<OwnedTable, { columns: readonly string[] }>

/** Merges the rows of every table with a plain rule, for all pairs at once. A person may be in only one pair. */
export async function mergeOwned(
  tx: Tx,
  pairs: readonly MergePair[],
  list: readonly OwnedTable[] = ownedTables,
): Promise<void> {
  const lost = pairs.filter((pair) => pair.sdkActivity === 'lost')
  const kept = pairs.filter((pair) => pair.sdkActivity === 'kept')
  const writes = list.flatMap((entry) => {
    if (entry.merge === 'removed') return [remove(tx, entry.table, pairs.map(fromOf))]
    if (!('columns' in entry)) return []
    const dropping = entry.sdkActivity && lost.length > 0 ? [remove(tx, entry.table, lost.map(fromOf))] : []
    const moving = entry.sdkActivity ? kept : pairs
    return moving.length > 0 ? [...dropping, move(tx, entry, moving)] : dropping
  })
  await Promise.all(writes)
}

const late = ownedTables.filter(({ writtenLate }) => writtenLate)

/** Moves rows that were written late under the ids of merged profiles to the kept ones. Several moves may have the same `into`. */
export async function mergeLate(tx: Tx, moves: readonly Move[]): Promise<void> {
  for (const disjoint of disjointMoves(moves)) {
    const pairs = disjoint.map((move): MergePair => ({ ...move, sdkActivity: 'kept' }))
    await mergeOwned(tx, pairs, late)
  }
}

/** Splits moves into lists in which each `into` occurs once: one statement cannot combine several rows with the same row. */
function disjointMoves(moves: readonly Move[]): Move[][] {
  const lists = [...Map.groupBy(moves, ({ into }) => into.profile_id).values()]
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((own) => own.slice(i, i + 1)))
}

/** Deletes rows that were written late under the ids of deleted people. */
export async function removeLate(tx: Tx, people: readonly Person[]): Promise<void> {
  await Promise.all(late.map(({ table }) => removeRows(tx, table, people)))
}

/** Deletes the rows of these people from every table whose rule for deletions is `removed`. */
export async function removeOwned(tx: Tx, people: readonly Person[]): Promise<void> {
  const tables = ownedTables.filter((entry) => entry.delete === 'removed').map(({ table }) => table)
  await Promise.all(tables.map((table) => removeRows(tx, table, people)))
}

/** Deletes the rows of these people from one listed table. */
export async function removeRows(tx: Tx, table: string, people: readonly Person[]): Promise<void> {
  if (people.length > 0) await remove(tx, table, people)
}

function fromOf({ from }: MergePair): Person {
  return from
}

function remove(tx: Tx, table: string, people: readonly Person[]): Promise<unknown[]> {
  return byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    delete from ${raw(table)} t using ${personRows(part.items)} w(bucket, profile_id)
    where t.bucket = w.bucket and t.profile_id = w.profile_id ${withinPart(part, 't')}`),
  )
}

/** Moves rows. It deletes and inserts them, because the bucket of a row must never change. */
function move(tx: Tx, entry: Movable, pairs: readonly MergePair[]): Promise<unknown[]> {
  return byShard<unknown, MergePair>(
    tx,
    pairs,
    (part) => prepared(movement(entry, part)),
    ({ from }) => from.bucket,
  )
}

function movement(entry: Movable, part: ShardPart<MergePair>): Sql {
  const table = raw(entry.table)
  const columns = raw(entry.columns.join(', '))
  return sql`
    with deleted as (
      delete from ${table} t using ${moveRows(part.items)} w(bucket, profile_id, into_bucket, into_id)
      where t.bucket = w.bucket and t.profile_id = w.profile_id ${withinPart(part, 't')}
      returning w.into_bucket, w.into_id, ${raw(entry.columns.map((column) => `t.${column}`).join(', '))})
    insert into ${table} as k (bucket, profile_id, ${columns})
    select into_bucket, into_id, ${columns} from deleted on conflict ${conflictOf(entry)}`
}

/** Returns what to do when the kept person already has a row with the same key: drop the moved row, or combine both. */
function conflictOf(entry: Movable): Sql {
  if (entry.merge !== 'moved and combined') return raw('do nothing')
  const set = Object.entries(entry.combined).map(([column, how]) => `${column} = ${combinedOf(column, how)}`)
  return raw(`(bucket, profile_id, ${entry.key.join(', ')}) do update set ${set.join(', ')}`)
}

function combinedOf(column: string, how: Combining): string {
  const [kept, other] = [`k.${column}`, `excluded.${column}`]
  if (typeof how === 'object') return `case when ${how.where} then ${kept} else ${other} end`
  if (how === 'sum') return `${kept} + ${other}`
  if (how === 'united') return `array(select unnest(${kept}) union select unnest(${other}) order by 1)`
  return `${how}(${kept}, ${other})`
}
