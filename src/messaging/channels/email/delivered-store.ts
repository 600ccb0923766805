import { int4Array, int8Array, textArray } from '../../../base/db/arrays.ts'
import type { Tx } from '../../../base/db/db.ts'
import { prepared, sql } from '../../../base/db/sql.ts'
import type { MessageKey } from '../../messages/message.ts'

/**
 * Finds which of these bounced messages end a series of soft bounces: another message to the same address was accepted after the last
 * soft bounce and before this message, and has not bounced.
 */
export async function findDeliveredBetween(
  tx: Tx,
  messages: readonly (MessageKey & { readonly hidden: { readonly bucket: number; readonly value: string } })[],
): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  const rows = await tx.query<{ message_id: string }>(
    prepared(sql`
    select b.message_id::text as message_id
    from unnest(${int4Array(messages.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[],
      ${int4Array(messages.map(({ hidden }) => hidden.bucket))}::int4[],
      ${textArray(messages.map(({ hidden }) => hidden.value))}::text[]) w(bucket, message_id, hidden_bucket, value)
    join message b on b.bucket = w.bucket and b.message_id = w.message_id
    join soft_bounce s on s.bucket = w.hidden_bucket and s.workspace_id = b.workspace_id and s.kind = 'email' and s.value = w.value
    where exists (select 1 from message m
      where m.bucket = b.bucket and m.profile_id = b.profile_id and m.channel = 'email' and m.address = b.address
        and m.state = 'accepted' and m.bounced_at is null and m.ended_at > s.at and m.ended_at < b.ended_at)`),
  )
  return new Set(rows.map(({ message_id }) => message_id))
}
