import { int4Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'

/** How many messages of one cause ended for a reason and were deleted with their people. */
export type DeletedCount = {
  readonly cause: string
  readonly channel: string
  readonly reason: string
  readonly count: number
}

/** Adds to the counts of deleted messages. Locks the rows in the order of their keys. Several counts of one kind become one. */
export async function addDeletedCounts(tx: Tx, given: readonly DeletedCount[]): Promise<void> {
  if (given.length === 0) return
  const kinds = Map.groupBy(given, ({ cause, channel, reason }) => `${cause}\u001f${channel}\u001f${reason}`)
  const counts = [...kinds.values()].map((same) => {
    return { ...same[0]!, count: same.reduce((sum, { count }) => sum + count, 0) }
  })
  await tx.query(
    prepared(sql`
    insert into deleted_messages as d (cause, channel, reason, count)
    select w.cause::uuid, w.channel, w.reason, w.count from unnest(
      ${textArray(counts.map(({ cause }) => cause))}::text[], ${textArray(counts.map(({ channel }) => channel))}::text[],
      ${textArray(counts.map(({ reason }) => reason))}::text[], ${int4Array(counts.map(({ count }) => count))}::int4[])
      w(cause, channel, reason, count)
    order by w.cause::uuid, w.channel, w.reason
    on conflict (cause, channel, reason) do update set count = d.count + excluded.count`),
  )
}

export async function deleteDeletedCounts(tx: Tx, cause: string): Promise<void> {
  await tx.query(sql`delete from deleted_messages where cause = ${cause}::uuid`)
}
