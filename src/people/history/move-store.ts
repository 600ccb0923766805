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
