import type { Tx } from './db.ts'
import { sql } from './sql.ts'

/** Returns the size of the database, in bytes. */
export async function readDatabaseBytes(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ bytes: string }>(sql`select pg_database_size(current_database())::text as bytes`)
  return Number(row!.bytes)
}
