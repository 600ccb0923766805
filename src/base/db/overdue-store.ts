import type { Tx } from './db.ts'
import { raw, sql } from './sql.ts'
import { timestampFromMs } from './timestamps.ts'

/** Counting ends here: one row is as wrong as a thousand. */
export const overdueRowsMax = 1_000

/** Rows of a table that should have been deleted. Table, column and `where`, a further condition in SQL, are of our own code. */
export type Overdue = {
  readonly table: string
  readonly column: string
  readonly beforeMs: number
  readonly where?: string
}

/** Counts the rows of a table whose time is before an instant, up to `overdueRowsMax`. */
export async function countOverdueRows(tx: Tx, { table, column, beforeMs, where }: Overdue): Promise<number> {
  const and = where === undefined ? sql`` : sql`and ${raw(where)}`
  const [found] = await tx.query<{ rows: string }>(sql`
    select count(*) as rows from (
      select 1 from ${raw(table)} where ${raw(column)} < ${timestampFromMs(beforeMs)} ${and} limit ${overdueRowsMax}) o`)
  return Number(found!.rows)
}

/** Counts the rows of a workspace in a table beyond as many as it may have. */
export async function countRowsAbove(tx: Tx, table: string, workspace_id: number, rowsMax: number): Promise<number> {
  const [found] = await tx.query<{ rows: string }>(sql`
    select count(*) as rows from ${raw(table)} where workspace_id = ${workspace_id}`)
  return Math.max(0, Number(found!.rows) - rowsMax)
}
