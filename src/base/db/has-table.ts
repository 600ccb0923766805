import type { Tx } from './db.ts'
import { sql } from './sql.ts'

/** Returns whether a database has a table. */
export async function hasTable(tx: Tx, name: string): Promise<boolean> {
  const [record] = await tx.query<{ found: boolean }>(sql`select to_regclass(${name}) is not null as found`)
  return record!.found
}
