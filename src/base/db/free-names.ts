import type { Tx } from './db.ts'
import { raw, sql } from './sql.ts'

/**
 * Call this before an update that renames rows of a table with unique names; `given` is a JSON list with `id` and `name`. PostgreSQL
 * checks names row by row, and two rows that swap their names would collide, so every row that gets a new name loses its old one first.
 */
export async function freeNames(tx: Tx, table: string, workspace_id: number, given: string): Promise<void> {
  await tx.query(sql`
    update ${raw(table)} as stored set name = 'renamed ' || stored.id || ' ' || stored.name
    from jsonb_to_recordset(${given}::jsonb) as given (id text, name text)
    where stored.workspace_id = ${workspace_id} and stored.id = given.id and stored.name <> given.name`)
}
