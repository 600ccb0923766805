import type { Tx } from './db.ts'
import { sql } from './sql.ts'

/** The database's own time, epoch milliseconds; only the clock's offset is taken from it. */
export async function readServerTime(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ at: Date }>(sql`select clock_timestamp() as at`)
  return row!.at.getTime()
}
