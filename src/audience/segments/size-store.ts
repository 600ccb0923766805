import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

export type SizeRow = { time: string; size: number }

/** Lists the sizes of days (`yyyy-MM-dd`), `from` and `to` included, oldest first. */
export function listSizes(tx: Tx, workspace_id: number, id: string, from: string, to: string): Promise<SizeRow[]> {
  return tx.query<SizeRow>(sql`
    select to_char(day, 'YYYY-MM-DD') as time, size from segment_size
    where workspace_id = ${workspace_id} and segment_id = ${id} and day between ${from}::date and ${to}::date order by day`)
}

/** Stores the size of a day, unless the segment has been deleted or is no longer tracked. */
export async function upsertSize(tx: Tx, workspace_id: number, id: string, { time, size }: SizeRow): Promise<void> {
  await tx.query(sql`
    insert into segment_size (workspace_id, segment_id, day, size)
    select s.workspace_id, s.id, ${time}::date, ${size}::int from segment s
    where s.workspace_id = ${workspace_id} and s.id = ${id} and s.analytics_tracking_enabled
    on conflict (workspace_id, segment_id, day) do update set size = excluded.size`)
}

/** Lists the ids of tracked segments without a size of this day. */
export async function listUncounted(tx: Tx, workspace_id: number, day: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select s.id from segment s where s.workspace_id = ${workspace_id} and s.analytics_tracking_enabled
      and not exists (select 1 from segment_size z
        where z.workspace_id = s.workspace_id and z.segment_id = s.id and z.day = ${day}::date)
    order by s.id collate "C"`)
  return rows.map(({ id }) => id)
}

/** Lists the ids of tracked segments. */
export async function listTracked(tx: Tx, workspace_id: number): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from segment where workspace_id = ${workspace_id} and analytics_tracking_enabled order by id collate "C"`)
  return rows.map(({ id }) => id)
}

/** Deletes the sizes of the days before this one. */
export async function deleteSizesBefore(tx: Tx, workspace_id: number, day: string): Promise<void> {
  await tx.query(sql`delete from segment_size where workspace_id = ${workspace_id} and day < ${day}::date`)
}

export async function deleteSizes(tx: Tx, workspace_id: number, segment_id: string): Promise<void> {
  await tx.query(sql`delete from segment_size where workspace_id = ${workspace_id} and segment_id = ${segment_id}`)
}
