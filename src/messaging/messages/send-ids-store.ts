import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'

/**
 * Returns the send ids of messages by their `cause`: an order, or an entry that an order has begun. Messages without one are missing, and
 * those whose order was deleted long after.
 */
export async function listSendIds(
  tx: Tx,
  messages: readonly { readonly bucket: number; readonly cause: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (messages.length === 0) return new Map()
  const rows = await byShard<{ cause: string; send_id: string }, (typeof messages)[number]>(tx, messages, (part) =>
    prepared(sql`
    select w.cause, d.send_id
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ cause }) => cause))}::text[]) w(bucket, cause)
    left join entry e on e.bucket = w.bucket and e.entry_id = w.cause::uuid ${withinPart(part, 'e')}
    join dispatch d on d.dispatch_id = coalesce(e.dispatch_id, w.cause::uuid)
    where d.send_id is not null`),
  )
  return new Map(rows.map(({ cause, send_id }) => [cause, send_id]))
}
