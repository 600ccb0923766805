import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** The key of a message, and its person. */
export type OwnedMessage = { readonly bucket: number; readonly profile_id: string; readonly message_id: string }

/** Returns messages of an order that ended before an instant. */
export function listEndedMessages(
  tx: Tx,
  dispatch_id: string,
  beforeMs: number,
  limit: number,
): Promise<OwnedMessage[]> {
  return tx.query<OwnedMessage>(sql`
    select bucket, profile_id, message_id from message
    where cause = ${dispatch_id}::uuid and ended_at < ${timestampFromMs(beforeMs)} limit ${limit}`)
}

export async function deleteMessageRows(tx: Tx, messages: readonly OwnedMessage[]): Promise<void> {
  await byShard<unknown, OwnedMessage>(tx, messages, (part) =>
    prepared(sql`
    delete from message m using unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
    where m.bucket = w.bucket and m.message_id = w.message_id ${withinPart(part, 'm')}`),
  )
}

/** Deletes all messages of these entries and returns them. */
export function deleteEntryMessages(
  tx: Tx,
  entries: readonly { readonly bucket: number; readonly entry_id: string }[],
): Promise<OwnedMessage[]> {
  return byShard<OwnedMessage, (typeof entries)[number]>(tx, entries, (part) =>
    prepared(sql`
    delete from message m using unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[]) w(bucket, entry_id)
    where m.bucket = w.bucket and m.cause = w.entry_id::uuid ${withinPart(part, 'm')}
    returning m.bucket, m.profile_id, m.message_id`),
  )
}
