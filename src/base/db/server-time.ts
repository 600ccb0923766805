import type { Tx } from './db.ts'
import { sql } from './sql.ts'

/** Reads the database's time, epoch milliseconds. Only for the offset of the clock. */
export async function readServerTime(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ at: Date }>(sql`select clock_timestamp() as at`)
  return row!.at.getTime()
}
