import { int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, prepared, type Sql, sql } from '../../base/db/sql.ts'
import { firstLineCharactersMax } from './schema.ts'

/** Characters of a block in which its first line is searched for. */
const beginningCharactersMax = 4_096

export type TemplateHeadRow = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly subject: string
  readonly tags: string[]
  readonly updated_at: Date
  readonly row_version: string
}

/**
 * Changes with each update of a row, whose texts need not be read for it. The time of a change does not, when the virtual clock stands
 * still. Lengths and times are in it for a database that was restored to an earlier state.
 */
function rowVersion(...texts: readonly Sql[]): Sql {
  return sql`concat_ws(' ', xmin, extract(epoch from updated_at), ${join(
    texts.map((text) => sql`octet_length(${text})`),
    ', ',
  )})`
}

/** Lists templates without their bodies, oldest first. */
export function listTemplateHeads(tx: Tx, workspace_id: number): Promise<TemplateHeadRow[]> {
  return tx.query<TemplateHeadRow>(
    prepared(sql`
    select id, name, description, subject, tags, updated_at,
      ${rowVersion(sql`subject`, sql`preheader`, sql`body`, sql`plaintext_body`)} as row_version
    from email_template
    where workspace_id = ${workspace_id} order by created_at, id collate "C"`),
  )
}

/** The texts of templates, by id, each template as one text. */
export function listTemplateTexts(tx: Tx, workspace_id: number, ids: readonly string[]): Promise<IdText[]> {
  return tx.query<IdText>(sql`
    select id, concat_ws(' ', subject, preheader, body, plaintext_body) as text from email_template
    where workspace_id = ${workspace_id} and id = any(${textArray(ids)}::text[])`)
}

export type IdText = { readonly id: string; readonly text: string }

export type BlockHeadRow = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly state: 'active' | 'draft'
  readonly tags: string[]
  readonly beginning: string
  readonly updated_at: Date
  readonly row_version: string
}

/** Lists blocks without their content, oldest first. */
export function listBlockHeads(tx: Tx, workspace_id: number): Promise<BlockHeadRow[]> {
  return tx.query<BlockHeadRow>(
    prepared(sql`
    select id, name, description, state, tags, updated_at, ${rowVersion(sql`content`)} as row_version,
      left(split_part(ltrim(left(content, ${beginningCharactersMax}), E' \\t\\r\\n'), E'\\n', 1), ${firstLineCharactersMax}) as beginning
    from content_block where workspace_id = ${workspace_id} order by created_at, name collate "C"`),
  )
}

export function listBlockTexts(tx: Tx, workspace_id: number, ids: readonly string[]): Promise<IdText[]> {
  return tx.query<IdText>(sql`
    select id, content as text from content_block where workspace_id = ${workspace_id} and id = any(${textArray(ids)}::text[])`)
}

/** Counts the people in each of these flows who have not left it. */
export async function countWaiting(tx: Tx, flow_ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ flow_id: number; people: number }>(sql`
    select flow_id, count(*)::int4 as people from entry
    where flow_id = any(${int4Array(flow_ids)}::int4[]) and state <> 'ended' group by flow_id`)
  return new Map(rows.map(({ flow_id, people }) => [flow_id, people]))
}

/** Lists the versions of flows that are no longer the current ones and in which there still are people. */
export function listEarlierVersions(
  tx: Tx,
  flow_ids: readonly number[],
): Promise<{ readonly flow_id: number; readonly version: number }[]> {
  return tx.query(sql`
    select v.flow_id, v.version from flow join flow_version v on v.flow_id = flow.flow_id and v.version <> flow.version
    where flow.flow_id = any(${int4Array(flow_ids)}::int4[]) and exists (
      select 1 from entry e
      where e.flow_id = v.flow_id and e.held in (false, true) and e.version = v.version and e.state <> 'ended')`)
}

export type LastSize = { readonly segment_id: string; readonly day: string; readonly size: number }

/** Returns the last size of each segment that was ever counted. */
export async function lastSizes(tx: Tx, workspace_id: number): Promise<Map<string, LastSize>> {
  const rows = await tx.query<LastSize>(sql`
    select s.id as segment_id, z.day, z.size from segment s cross join lateral (
      select to_char(day, 'YYYY-MM-DD') as day, size from segment_size
      where workspace_id = s.workspace_id and segment_id = s.id order by segment_size.day desc limit 1) z
    where s.workspace_id = ${workspace_id}`)
  return new Map(rows.map((row) => [row.segment_id, row]))
}
