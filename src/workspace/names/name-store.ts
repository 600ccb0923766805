import { int4Array, textArray } from '../../base/db/arrays.ts'
import { takeIdsSql } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, sql } from '../../base/db/sql.ts'

type NameRow = { name: string; name_id: number }

export function findNames(tx: Tx, workspace_id: number, kind: string, names: readonly string[]): Promise<NameRow[]> {
  return tx.query<NameRow>(sql`
    select name, name_id from name
    where workspace_id = ${workspace_id} and kind = ${kind} and name = any(${textArray(names)}::text[])`)
}

/**
 * Stores new names and returns their ids, without names that another process has stored meanwhile. Every writer locks the row of the
 * counter first, so two writers with the same names cannot deadlock.
 */
export function insertNames(tx: Tx, workspace_id: number, kind: string, names: readonly string[]): Promise<NameRow[]> {
  return tx.query<NameRow>(sql`
    with block as (
      ${takeIdsSql('name', names.length)}
    )
    insert into name (name_id, workspace_id, kind, name)
    select block.first + given.position - 1, ${workspace_id}::int, ${kind}::text, given.name
    from block, unnest(${textArray(names)}::text[]) with ordinality as given (name, position)
    on conflict (workspace_id, kind, name) do nothing
    returning name, name_id`)
}

/** Lists a page of the names of a kind, in the order of their characters. */
export async function listNamePage(
  tx: Tx,
  workspace_id: number,
  kind: string,
  { direction, limit, offset }: { direction: 'asc' | 'desc'; limit: number; offset: number },
): Promise<string[]> {
  const rows = await tx.query<{ name: string }>(sql`
    select name from name where workspace_id = ${workspace_id} and kind = ${kind}
    order by name collate "C" ${raw(direction)} limit ${limit} offset ${offset}`)
  return rows.map(({ name }) => name)
}

export async function countNames(tx: Tx, workspace_id: number, kind: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from name where workspace_id = ${workspace_id} and kind = ${kind}`)
  return row!.count
}

export function listNamesById(
  tx: Tx,
  ids: readonly number[],
): Promise<(NameRow & { workspace_id: number; kind: string })[]> {
  return tx.query(sql`select workspace_id, kind, name, name_id from name where name_id = any(${int4Array(ids)}::int[])`)
}
