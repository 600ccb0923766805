import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { EntryKey } from './entry.ts'

/** Returns entries of a workspace that ended before an instant and have no open message. */
export function listEndedEntries(tx: Tx, workspace_id: number, beforeMs: number, limit: number): Promise<EntryKey[]> {
  return tx.query<EntryKey>(sql`
    select e.bucket, e.entry_id from entry e
    where e.workspace_id = ${workspace_id} and e.state = 'ended' and e.ended_at < ${timestampFromMs(beforeMs)}
      and not exists (select 1 from message m where m.bucket = e.bucket and m.cause = e.entry_id and m.ended_at is null)
    order by e.ended_at limit ${limit}`)
}

export async function deleteEntryRows(tx: Tx, entries: readonly EntryKey[]): Promise<void> {
  await byShard<unknown, EntryKey>(tx, entries, (part) =>
    prepared(sql`
    delete from entry e using unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[]) w(bucket, entry_id)
    where e.bucket = w.bucket and e.entry_id = w.entry_id::uuid ${withinPart(part, 'e')}`),
  )
}
