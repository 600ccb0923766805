import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Records that messages of these flows were sent. Skips flows that another transaction has locked: the next message records it. */
export async function updateLastSent(tx: Tx, flowIds: readonly number[], nowMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    update flow f set first_sent_at = coalesce(f.first_sent_at, ${timestampFromMs(nowMs)}),
      last_sent_at = greatest(f.last_sent_at, ${timestampFromMs(nowMs)})
    from (select o.flow_id from flow o where o.flow_id = any(${int4Array(flowIds)}::int4[]) for update of o skip locked) v
    where f.flow_id = v.flow_id`),
  )
}

/** The precision of `last_entry_at`. Without it, two workers would lock the row of the flow with every page. */
const lastEntryPrecisionMs = 1_000

/** Records that people enter these flows. Skips flows that another transaction has locked: the next entry records it. */
export async function updateLastEntry(tx: Tx, flow_ids: readonly number[], nowMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    update flow f set first_entry_at = coalesce(f.first_entry_at, ${timestampFromMs(nowMs)}), last_entry_at = ${timestampFromMs(nowMs)}
    from (
      select o.flow_id from flow o where o.flow_id = any(${int4Array(flow_ids)}::int4[])
        and (o.last_entry_at is null or o.last_entry_at <= ${timestampFromMs(nowMs - lastEntryPrecisionMs)})
      order by o.flow_id for update of o skip locked) v
    where f.flow_id = v.flow_id`),
  )
}
