import { int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Writes encrypted identifiers of people of one workspace each. `atMs` is machine time. */
export async function insertDeletedNames(
  tx: Tx,
  rows: readonly { readonly workspace_id: number; readonly names: Buffer }[],
  atMs: number,
): Promise<void> {
  await tx.query(sql`
    insert into deleted_names (workspace_id, names, at)
    select v.workspace_id, decode(v.names, 'hex'), ${timestampFromMs(atMs)} from unnest(
      ${int4Array(rows.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(rows.map(({ names }) => names.toString('hex')))}::text[]) v(workspace_id, names)`)
}

export type DeletedNamesRow = { number: string; workspace_id: number; names: Buffer; at: Date }

/**
 * Lists rows after a number, the oldest first. Deletions are carried out one after the other, each under the lock of the work, so that no
 * row with a smaller number is committed later.
 */
export function listDeletedNames(tx: Tx, after: string, limit: number): Promise<DeletedNamesRow[]> {
  return tx.query<DeletedNamesRow>(sql`
    select number, workspace_id, names, at from deleted_names where number > ${after}::int8 order by number limit ${limit}`)
}

/** Returns the number of the last row; 0 when there is none. */
export async function findLastNumber(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ number: string }>(
    sql`select coalesce(max(number), 0)::int8 as number from deleted_names`,
  )
  return row!.number
}

/** Deletes rows that no log needs any more. `beforeMs` is machine time. */
export async function deleteDeletedNames(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from deleted_names where at < ${timestampFromMs(beforeMs)}`)
}
