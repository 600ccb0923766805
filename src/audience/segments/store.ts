import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { freeNames } from '../../base/db/free-names.ts'
import { raw, sql } from '../../base/db/sql.ts'
import { deleteSizes } from './size-store.ts'

/** A stored segment. `audience` is as it was sent. */
export type SegmentRow = {
  id: string
  name: string
  description: string
  audience: object
  tags: string[]
  analytics_tracking_enabled: boolean
  created_at: Date
  updated_at: Date
}

export type ListedSegment = Pick<SegmentRow, 'id' | 'name' | 'analytics_tracking_enabled' | 'tags'>

/** Lists the ids and names of all segments of a workspace. */
export function listSegmentNames(tx: Tx, workspace_id: number): Promise<Pick<SegmentRow, 'id' | 'name'>[]> {
  return tx.query<Pick<SegmentRow, 'id' | 'name'>>(
    sql`select id, name from segment where workspace_id = ${workspace_id}`,
  )
}

/** Lists all segments of a workspace, oldest first. */
export function listSegments(tx: Tx, workspace_id: number): Promise<SegmentRow[]> {
  return tx.query<SegmentRow>(sql`
    select id, name, description, audience, tags, analytics_tracking_enabled, created_at, updated_at
    from segment where workspace_id = ${workspace_id} order by created_at, name collate "C"`)
}

/**
 * Lists segments by id or name with their nested segments, up to `levels` levels. Uses one statement, so that all segments are from the
 * same moment.
 */
export function listWithNested(
  tx: Tx,
  workspace_id: number,
  idsOrNames: readonly string[],
  levels: number,
): Promise<SegmentRow[]> {
  const wanted = textArray(idsOrNames)
  return tx.query<SegmentRow>(sql`
    with recursive reached as (
      select s.id, s.audience, 1 as level from segment s
      where s.workspace_id = ${workspace_id} and (s.id = any(${wanted}::text[]) or s.name = any(${wanted}::text[]))
      union
      select s.id, s.audience, r.level + 1
      from reached r
      cross join lateral jsonb_path_query(r.audience, '$.**.segment.segment_id') word
      join segment s on s.workspace_id = ${workspace_id} and (s.id = word #>> '{}' or s.name = word #>> '{}')
      where r.level < ${levels}
    )
    select id, name, description, audience, tags, analytics_tracking_enabled, created_at, updated_at
    from segment where workspace_id = ${workspace_id} and id in (select id from reached)`)
}

/** Lists a page of segments by creation. */
export function listSegmentRows(
  tx: Tx,
  workspace_id: number,
  { direction, limit, offset }: { direction: 'asc' | 'desc'; limit: number; offset: number },
): Promise<ListedSegment[]> {
  return tx.query<ListedSegment>(sql`
    select id, name, analytics_tracking_enabled, tags from segment where workspace_id = ${workspace_id}
    order by created_at ${raw(direction)}, name collate "C" ${raw(direction)} limit ${limit} offset ${offset}`)
}

export type SegmentFields = Omit<SegmentRow, 'created_at' | 'updated_at'>

export async function insertSegments(
  tx: Tx,
  workspace_id: number,
  rows: readonly SegmentFields[],
  at: Date,
): Promise<void> {
  await tx.query(sql`
    insert into segment (workspace_id, id, name, description, audience, tags, analytics_tracking_enabled, created_at, updated_at)
    select ${workspace_id}::int, id, name, description, audience, tags, analytics_tracking_enabled,
      ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (id text, name text, description text, audience jsonb, tags text[], analytics_tracking_enabled boolean)`)
}

export async function updateSegments(
  tx: Tx,
  workspace_id: number,
  rows: readonly SegmentFields[],
  at: Date,
): Promise<void> {
  const given = JSON.stringify(rows)
  await freeNames(tx, 'segment', workspace_id, given)
  await tx.query(sql`
    update segment as stored set name = given.name, description = given.description, audience = given.audience,
      tags = given.tags, analytics_tracking_enabled = given.analytics_tracking_enabled, updated_at = ${at.toISOString()}
    from jsonb_to_recordset(${given}::jsonb)
      as given (id text, name text, description text, audience jsonb, tags text[], analytics_tracking_enabled boolean)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id`)
}

/** Deletes a segment and its sizes. Returns false when there is none. */
export async function deleteSegment(tx: Tx, workspace_id: number, id: string): Promise<boolean> {
  await deleteSizes(tx, workspace_id, id)
  const deleted = await tx.query(
    sql`delete from segment where workspace_id = ${workspace_id} and id = ${id} returning id`,
  )
  return deleted.length > 0
}
