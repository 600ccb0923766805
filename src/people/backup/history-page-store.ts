import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type HistorySource, sourceRows } from './backup-store.ts'
import type { BackupRow } from './backup-tables.ts'

/** Events and purchases one by one, in an order that is the same in every installation: by name, time, and all the rest. */
export type HistoryKind = 'event' | 'purchase'

/** How much there is, counted up to a bound. `bytes` are those of the properties. */
export type HistorySize = { n: number; rows: number; bytes: number }

/** What a line says of an occurrence; `time` is epoch microseconds, `properties` are JSON text. */
export type HistoryRow = BackupRow & { time: number; properties: string | null }

const details = { event: [], purchase: ['price', 'currency', 'quantity'] } as const
/** How a line calls what was done. */
export const nameMembers = { event: 'name', purchase: 'product_id' } as const

/** About each person's history, numbered as the places are; counting ends at `rowsMax` rows of a place. */
export async function measureHistory(
  tx: Tx,
  kind: HistoryKind,
  places: readonly HistorySource[],
  rowsMax: number,
): Promise<HistorySize[]> {
  return tx.query<HistorySize>(
    prepared(sql`
    select w.n, sum(h.rows)::float8 as rows, sum(h.bytes)::float8 as bytes
    from ${sourceRows(places)} w
    cross join lateral (
      select count(*) as rows, coalesce(sum(octet_length(o.properties)), 0) as bytes
      from (select e.properties from ${raw(kind)} e
        where e.bucket = w.bucket and e.profile_id = w.profile_id limit ${rowsMax}) o) h
    group by w.n`),
  )
}

/** The columns of an occurrence as a line has them, and the order among those of one name. */
function shapeOf(kind: HistoryKind): { columns: Sql; order: Sql } {
  const columns = details[kind].map((name) => `e.${name}, `).join('')
  const order = details[kind].map((name) => (name === 'currency' ? `e.${name} collate "C", ` : `e.${name}, `)).join('')
  return {
    columns: raw(`(extract(epoch from e.time) * 1000000)::float8 as time, ${columns}a.name as app_id, e.properties`),
    order: raw(`e.time, a.name collate "C" nulls first, ${order}e.properties collate "C" nulls first`),
  }
}

/** The whole history at these places. */
export async function listHistory(
  tx: Tx,
  kind: HistoryKind,
  places: readonly HistorySource[],
): Promise<(HistoryRow & { n: number })[]> {
  const { columns, order } = shapeOf(kind)
  return tx.query(
    prepared(sql`
    select w.n, o.name as ${raw(nameMembers[kind])}, ${columns}
    from ${sourceRows(places)} w
    join ${raw(kind)} e on e.bucket = w.bucket and e.profile_id = w.profile_id
    join name o on o.name_id = e.name_id
    left join name a on a.name_id = e.app_id
    order by w.n, o.name collate "C", ${order}`),
  )
}

/** What one person did, by name: the names after this one, in order. */
export async function listNamesAfter(
  tx: Tx,
  kind: HistoryKind,
  places: readonly HistorySource[],
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(
    prepared(sql`
    select o.name from (
      select distinct e.name_id from ${sourceRows(places)} w
      join ${raw(kind)} e on e.bucket = w.bucket and e.profile_id = w.profile_id) d
    join name o on o.name_id = d.name_id
    where o.name collate "C" > ${after}::text order by o.name collate "C" limit ${limit}`),
  )
  return rows.map((row) => row.name)
}

/** Where to go on: so many occurrences of this name and this time have been read already. */
export type HistoryOffset = { name: string; timeUs: number; skip: number }

export type HistoryBounds = { rows: number; bytes: number }

/** What one person did under one name from a position on: at least one row when there is one. */
export async function listHistoryFrom(
  tx: Tx,
  kind: HistoryKind,
  workspace_id: number,
  places: readonly HistorySource[],
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
        from name o cross join ${sourceRows(places)} w
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
