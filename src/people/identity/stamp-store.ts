import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

/**
 * Returns the newest stamp in storage in epoch microseconds; 0 if there is none. It reads every row, so use it only after a restart with a
 * virtual clock, which may not have moved since the last stamp.
 */
export async function findLatestStamp(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ stamp: string | null }>(sql`
    select (extract(epoch from greatest(
      (select max(updated_at) from profile),
      (select max(stamp) from membership),
      (select max(stamp) from address_state))) * 1000000)::bigint as stamp`)
  return Number(row!.stamp ?? 0)
}
