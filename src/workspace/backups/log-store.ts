import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

/** Returns where a start would begin to read the write-ahead log: the position, and the name of the file. */
export async function readLogStart(tx: Tx): Promise<{ redo: string; segment: string }> {
  const [row] = await tx.query<{ redo: string; segment: string }>(sql`
    select redo_lsn::text as redo, pg_walfile_name(redo_lsn) as segment from pg_control_checkpoint()`)
  return row!
}

/** Returns the name of the file in which the write-ahead log ends now. */
export async function readLogEnd(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ segment: string }>(sql`
    select pg_walfile_name(pg_current_wal_insert_lsn()) as segment`)
  return row!.segment
}
