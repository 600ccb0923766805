import { untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Deletes up to `limit` rows of people who never entered and were last refused before `beforeMs`. Returns how many. */
export async function deleteRefused(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const remove = (part: ShardPart, taken: readonly unknown[]) => sql`
    with w as materialized (
      select bucket, profile_id, flow_id from received
      where entries = 0 and refused_at < ${timestampFromMs(beforeMs)} and last_received_at is null ${withinPart(part, 'received')}
      limit ${limit - taken.length} for update skip locked)
    delete from received r using w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id ${withinPart(part, 'r')}
    returning 1`
  const deleted = await untilFull<unknown>(tx, remove, (taken) => taken.length >= limit)
  return deleted.length
}
