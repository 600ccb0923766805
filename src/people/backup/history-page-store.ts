import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type HistorySource, sourceRows } from './backup-store.ts'
import type { BackupRow } from './backup-tables.ts'

/**
 * A source of history. Events and purchases are read in an order that is the same in every installation: by name, time, and the other
 * columns.
 */
export type HistoryKind = 'event' | 'purchase'

/** The number of rows, counted up to a bound, and the size of their properties. */
export type HistorySize = { n: number; rows: number; bytes: number }

/** An event or purchase of a line. `time` is epoch microseconds, `properties` is JSON text. */
export type HistoryRow = BackupRow & { time: number; properties: string | null }

const details = { event: [], purchase: ['price', 'currency', 'quantity'] } as const
/** The member of a line with the name. */
export const nameMembers = { event: 'name', purchase: 'product_id' } as const

/** Returns the approximate size of each person's history. Counting stops at `rowsMax` rows of a source. */
export async function measureHistory(
  tx: Tx,
  kind: HistoryKind,
  sources: readonly HistorySource[],
  rowsMax: number,
): Promise<HistorySize[]> {
  return tx.query<HistorySize>(
    prepared(sql`
    select w.n, sum(h.rows)::float8 as rows, sum(h.bytes)::float8 as bytes
    from ${sourceRows(sources)} w
    cross join lateral (
      select count(*) as rows, coalesce(sum(octet_length(o.properties)), 0) as bytes
      from (select e.properties from ${raw(kind)} e
        where e.bucket = w.bucket and e.profile_id = w.profile_id limit ${rowsMax}) o) h
    group by w.n`),
  )
}

/** The columns of a line, and the order of rows with the same name. */
function shapeOf(kind: HistoryKind): { columns: Sql; order: Sql } {
  const columns = details[kind].map((name) => `e.${name}, `).join('')
  const order = details[kind].map((name) => (name === 'currency' ? `e.${name} collate "C", ` : `e.${name}, `)).join('')
  return {
    columns: raw(`(extract(epoch from e.time) * 1000000)::float8 as time, ${columns}a.name as app_id, e.properties`),
    order: raw(`e.time, a.name collate "C" nulls first, ${order}e.properties collate "C" nulls first`),
  }
}

/** Lists all history of these sources. */
export async function listHistory(
  tx: Tx,
  kind: HistoryKind,
  sources: readonly HistorySource[],
): Promise<(HistoryRow & { n: number })[]> {
  const { columns, order } = shapeOf(kind)
  return tx.query(
    prepared(sql`
    select w.n, o.name as ${raw(nameMembers[kind])}, ${columns}
    from ${sourceRows(sources)} w
    join ${raw(kind)} e on e.bucket = w.bucket and e.profile_id = w.profile_id
    join name o on o.name_id = e.name_id
    left join name a on a.name_id = e.app_id
    order by w.n, o.name collate "C", ${order}`),
  )
}

/** Lists the next names in the history of a person, in order. */
export async function listNamesAfter(
  tx: Tx,
  kind: HistoryKind,
  sources: readonly HistorySource[],
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    prepared(sql`
    select o.name from (
      select distinct e.name_id from ${sourceRows(sources)} w
      join ${raw(kind)} e on e.bucket = w.bucket and e.profile_id = w.profile_id) d
    join name o on o.name_id = d.name_id
    where o.name collate "C" > ${after}::text order by o.name collate "C" limit ${limit}`),
  )
  return rows.map((row) => row.name)
}

/** The position at which to continue: `skip` rows with this name and time have already been read. */
export type HistoryOffset = { name: string; timeUs: number; skip: number }

export type HistoryBounds = { rows: number; bytes: number }

/** Lists the history of a person under one name, from a position. Returns at least one row if there is one. */
export async function listHistoryFrom(
  tx: Tx,
  kind: HistoryKind,
  workspace_id: number,
  sources: readonly HistorySource[],
  from: HistoryOffset,
  bounds: HistoryBounds,
): Promise<HistoryRow[]> {
  const { columns, order } = shapeOf(kind)
  return tx.query<HistoryRow>(
    prepared(sql`
    select x.* from (
      select h.*, sum(coalesce(octet_length(h.properties), 0)) over (order by h.i) - coalesce(octet_length(h.properties), 0) as above
      from (
        select row_number() over (order by ${order}) as i, o.name as ${raw(nameMembers[kind])}, ${columns}
        from name o cross join ${sourceRows(sources)} w
        cross join lateral (
          select * from ${raw(kind)} e
          where e.bucket = w.bucket and e.profile_id = w.profile_id and e.name_id = o.name_id
            and e.time >= ${timestampFromUs(from.timeUs)}
          order by e.time fetch first (${bounds.rows + from.skip}::int8) rows with ties) e
        left join name a on a.name_id = e.app_id
        where o.workspace_id = ${workspace_id} and o.kind = ${kind === 'event' ? 'event' : 'product'} and o.name = ${from.name}
        order by i limit ${bounds.rows} offset ${from.skip}) h) x
    where x.above < ${bounds.bytes} order by x.i`),
  )
}
