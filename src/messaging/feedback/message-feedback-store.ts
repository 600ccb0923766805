import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { bucketOfId } from '../../people/identity/person.ts'
import type { MessageClass, MessageKey } from '../messages/message.ts'

/** A message with its current bucket. `address` is null before the hand-over. */
export type SentMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly workspace_id: number
  readonly profile_id: string
  readonly address: string | null
  readonly complained: boolean
  readonly class: MessageClass
}

/** Finds the message of a token. After a merge it is in the bucket of the kept profile. */
export async function findSentMessage(
  tx: Tx,
  { profile_id, message_id }: TokenTarget,
): Promise<SentMessage | undefined> {
  const rows = await tx.query<SentMessage>(
    prepared(sql`
    select m.bucket, m.message_id::text as message_id, m.workspace_id, m.profile_id::text as profile_id, m.address,
      m.complained_at is not null as complained, m.class
    from (
      select ${bucketOfId(message_id)}::int4 as bucket
      union
      select p.merged_bucket from profile p
      where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8 and p.merged_bucket is not null
    ) w
    join message m on m.bucket = w.bucket and m.message_id = ${message_id}::int8
    where m.channel = 'email' limit 1`),
  )
  return rows[0]
}

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
