import { int4Array, int8Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { MessageKey } from './message.ts'

/** Marks messages as bounced. Returns the ids of those that were not marked before. */
export async function markBounced(tx: Tx, messages: readonly MessageKey[], stampUs: number): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  const rows = await tx.query<{ message_id: string }>(
    prepared(sql`
    update message m set bounced_at = ${timestampFromUs(stampUs)}
    from unnest(${int4Array(messages.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
    where m.bucket = w.bucket and m.message_id = w.message_id and m.bounced_at is null
    returning m.message_id::text as message_id`),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}

/** Marks a message as complained about. Returns false if it was marked before. */
export async function markComplained(tx: Tx, { bucket, message_id }: MessageKey, stampUs: number): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    update message m set complained_at = ${timestampFromUs(stampUs)}
    where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and m.complained_at is null returning m.bucket`),
  )
  return rows.length > 0
}
