import { int4Array, int8Array, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Move, Person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'

/** The tables of history and their columns besides `bucket, profile_id`. */
const history = {
  event: ['time', 'name_id', 'app_id', 'properties'],
  purchase: ['time', 'price', 'name_id', 'app_id', 'quantity', 'currency', 'properties'],
} as const

export type HistoryTable = keyof typeof history

export const historyTables = Object.keys(history) as HistoryTable[]

/** Moves up to `rowsMax` rows of a table to the kept profiles. Returns how many it found. */
export async function moveHistoryRows(
  tx: Tx,
  table: HistoryTable,
  moves: readonly Move[],
  rowsMax: number,
): Promise<number> {
  if (rowsMax === 0) return 0
  if (tx.placement !== undefined) return moveByShard(tx, table, moves, rowsMax)
  const columns = raw(history[table].join(', '))
  const source = sql`${moveRows(moves)} w(bucket, profile_id, into_bucket, into_id)`
  const [row] = await tx.query<{ found: number }>(
    prepared(sql`
    with picked as materialized (${pick(table, source, raw(', w.into_bucket, w.into_id'), rowsMax)}),
    deleted as (${removal(table)} returning p.into_bucket, p.into_id, ${listed(table)}),
    moved as (
      insert into ${raw(table)} (bucket, profile_id, ${columns}) select into_bucket, into_id, ${columns} from deleted)
    select count(*)::int as found from picked`),
  )
  return row!.found
}

/** Deletes up to `rowsMax` rows of a table. They stay counted in tallies, which name nobody. Returns how many rows it found. */
export async function deleteHistoryRows(
  tx: Tx,
  table: HistoryTable,
  people: readonly Person[],
  rowsMax: number,
): Promise<number> {
  if (rowsMax === 0) return 0
  if (tx.placement !== undefined) return (await takeByShard(tx, table, people, rowsMax)).found
  const source = sql`${personRows(people)} w(bucket, profile_id)`
  const [row] = await tx.query<{ found: number }>(
    prepared(sql`
    with picked as materialized (${pick(table, source, raw(''), rowsMax)}),
    deleted as (${removal(table)})
    select count(*)::int as found from picked`),
  )
  return row!.found
}

/** Selects rows by their position in the table (ctid), because no column distinguishes equal events. The time selects the partition. */
function pick(table: HistoryTable, source: Sql, more: Sql, rowsMax: number): Sql {
  return sql`
      select e.bucket, e.profile_id, e.time, e.ctid as place${more}
      from ${source} join ${raw(table)} e on e.bucket = w.bucket and e.profile_id = w.profile_id limit ${rowsMax}::int`
}

function removal(table: HistoryTable): Sql {
  return sql`
      delete from ${raw(table)} e using picked p
      where e.bucket = p.bucket and e.profile_id = p.profile_id and e.time = p.time and e.ctid = p.place`
}

function listed(table: HistoryTable): Sql {
  return raw(history[table].map((column) => `e.${column}`).join(', '))
}

/** The types of the columns of history besides the time, in both tables. */
const types: Readonly<Record<string, string>> = {
  price: 'float8',
  name_id: 'int4',
  app_id: 'int4',
  quantity: 'int4',
  currency: 'text',
  properties: 'text',
}

type TakenRow = { readonly bucket: number; readonly profile_id: string; readonly us: string }

/** Moves rows where there are shards: they are taken from one shard and written to another. */
async function moveByShard(tx: Tx, table: HistoryTable, moves: readonly Move[], rowsMax: number): Promise<number> {
  const into = new Map(moves.map((move) => [move.from.profile_id, move.into]))
  const merged = moves.map(({ from }) => from)
  const { found, taken } = await takeByShard(tx, table, merged, rowsMax)
  const moved = taken.map((row) => {
    const { bucket, profile_id } = into.get(row.profile_id)!
    return { ...row, bucket, profile_id }
  })
  await insertHistory(tx, table, moved)
  return found
}

/**
 * Deletes up to `rowsMax` rows of people by their keys: the address of a row is one of its shard. No column distinguishes rows of one
 * person, name and time, so that all of them are deleted, and those that are too many are inserted again. `found` is below `rowsMax` only
 * when no rows are left.
 */
async function takeByShard(
  tx: Tx,
  table: HistoryTable,
  people: readonly Person[],
  rowsMax: number,
): Promise<{ found: number; taken: readonly TakenRow[] }> {
  const picked = await byShard<PickedKey, Person>(tx, people, (part) =>
    prepared(sql`
    select o.bucket, o.profile_id, o.name_id, o.us, count(*)::int4 as count from (
      select e.bucket, e.profile_id, e.name_id, (extract(epoch from e.time) * 1000000)::int8 as us
      from ${personRows(part.items)} w(bucket, profile_id)
      join ${raw(table)} e on e.bucket = w.bucket and e.profile_id = w.profile_id ${withinPart(part, 'e')} limit ${rowsMax}::int) o
    group by o.bucket, o.profile_id, o.name_id, o.us`),
  )
  let found = 0
  const keys: PickedKey[] = []
  for (const key of picked) {
    if (found >= rowsMax) break
    keys.push(key)
    found += key.count
  }
  const deleted = await byShard<TakenRow, PickedKey>(tx, keys, (part) =>
    prepared(sql`
    delete from ${raw(table)} e using unnest(
      ${int4Array(part.items.map((key) => key.bucket))}::int4[], ${int8Array(part.items.map((key) => key.profile_id))}::int8[],
      ${int4Array(part.items.map((key) => key.name_id))}::int4[],
      ${timestampArray(part.items.map((key) => Number(key.us)))}::timestamptz[]) w(bucket, profile_id, name_id, time)
    where e.bucket = w.bucket and e.profile_id = w.profile_id and e.name_id = w.name_id and e.time = w.time ${withinPart(part, 'e')}
    returning e.bucket, e.profile_id,
      (extract(epoch from e.time at time zone interval '0') * 1000000)::int8 as us, ${listedOthers(table)}`),
  )
  await insertHistory(tx, table, deleted.slice(rowsMax))
  return { found: Math.min(found, rowsMax), taken: deleted.slice(0, rowsMax) }
}

type PickedKey = { readonly bucket: number; readonly profile_id: string; readonly name_id: number } & {
  readonly us: string
  readonly count: number
}

async function insertHistory(tx: Tx, table: HistoryTable, rows: readonly TakenRow[]): Promise<void> {
  if (rows.length === 0) return
  const others = othersOf(table)
  const [names, values, columns] = [
    raw(others.join(', ')),
    raw(others.map((name) => `v.${name}`).join(', ')),
    raw(others.map((name) => `${name} ${types[name]}`).join(', ')),
  ]
  await tx.query(
    prepared(sql`
    insert into ${raw(table)} (bucket, profile_id, time, ${names})
    select v.bucket, v.profile_id, timestamptz 'epoch' + v.us * interval '1 microsecond', ${values}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) v(bucket int4, profile_id int8, us int8, ${columns})`),
  )
}

function othersOf(table: HistoryTable): string[] {
  return history[table].filter((column) => column !== 'time')
}

function listedOthers(table: HistoryTable): Sql {
  return raw(
    othersOf(table)
      .map((name) => `e.${name}`)
      .join(', '),
  )
}
