import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Move, Person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'
import type { MergePair } from './merge-states.ts'
import { type Combining, type OwnedTable, ownedTables } from './owned-tables.ts'

type Movable = Extract<OwnedTable, { columns: readonly string[] }>

/** Does to every listed table what its line says, as far as one statement can: for all pairs at once, nobody in two of them. */
export async function mergeOwned(
  tx: Tx,
  pairs: readonly MergePair[],
  list: readonly OwnedTable[] = ownedTables,
): Promise<void> {
  const lost = pairs.filter((pair) => pair.sdkActivity === 'lost')
  const kept = pairs.filter((pair) => pair.sdkActivity === 'kept')
  const statements = list.flatMap((entry) => {
    if (entry.merge === 'removed') return [removal(entry.table, pairs.map(fromOf))]
    if (!('columns' in entry)) return []
    const dropping = entry.sdkActivity && lost.length > 0 ? [removal(entry.table, lost.map(fromOf))] : []
    const moving = entry.sdkActivity ? kept : pairs
    return moving.length > 0 ? [...dropping, move(entry, moving)] : dropping
  })
  await Promise.all(statements.map((statement) => tx.query(prepared(statement))))
}

const late = ownedTables.filter(({ writtenLate }) => writtenLate)

/** Gives to the kept profiles what was written late under the ids of merged ones. Several moves may have one `into`. */
export async function mergeLate(tx: Tx, moves: readonly Move[]): Promise<void> {
  for (const round of disjointMoves(moves)) {
    const pairs = round.map((move): MergePair => ({ ...move, sdkActivity: 'kept' }))
    await mergeOwned(tx, pairs, late)
  }
}

/** Of several moves into one person each is in another round: one statement cannot combine rows of one key twice. */
function disjointMoves(moves: readonly Move[]): Move[][] {
  const lists = [...Map.groupBy(moves, ({ into }) => into.profile_id).values()]
  const longest = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((own) => own.slice(i, i + 1)))
}

/** Deletes what was written late under the ids of deleted people. */
export async function removeLate(tx: Tx, people: readonly Person[]): Promise<void> {
  await Promise.all(late.map(({ table }) => removeRows(tx, table, people)))
}

/** Deletes these people's rows of every listed table that a deletion empties. */
export async function removeOwned(tx: Tx, people: readonly Person[]): Promise<void> {
  const tables = ownedTables.filter((entry) => entry.delete === 'removed').map(({ table }) => table)
  await Promise.all(tables.map((table) => removeRows(tx, table, people)))
}

/** Deletes these people's rows of one listed table. */
export async function removeRows(tx: Tx, table: string, people: readonly Person[]): Promise<void> {
  if (people.length > 0) await tx.query(prepared(removal(table, people)))
}

function fromOf({ from }: MergePair): Person {
  return from
}

function removal(table: string, people: readonly Person[]): Sql {
  return sql`
    delete from ${raw(table)} t using ${personRows(people)} w(bucket, profile_id)
    where t.bucket = w.bucket and t.profile_id = w.profile_id`
}

/** A row never changes its bucket: it is deleted here and inserted there. */
function move(entry: Movable, pairs: readonly MergePair[]): Sql {
  const table = raw(entry.table)
  const columns = raw(entry.columns.join(', '))
  return sql`
    with gone as (
      delete from ${table} t using ${moveRows(pairs)} w(bucket, profile_id, into_bucket, into_id)
      where t.bucket = w.bucket and t.profile_id = w.profile_id
      returning w.into_bucket, w.into_id, ${raw(entry.columns.map((column) => `t.${column}`).join(', '))})
    insert into ${table} as k (bucket, profile_id, ${columns})
    select into_bucket, into_id, ${columns} from gone on conflict ${conflictOf(entry)}`
}

/** What becomes of a row whose key the kept person has already: it is gone, or goes up in the one that stays. */
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
