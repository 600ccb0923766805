import { int4Array, int8Array, textArray, timestampArray } from '../../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../../base/db/by-shard.ts'
import type { Tx } from '../../../base/db/db.ts'
import { prepared, sql } from '../../../base/db/sql.ts'
import type { MessageKey } from '../../messages/message.ts'

/** A bounced message. `hidden` is its address, under which soft bounces are counted. */
type BouncedMessage = MessageKey & {
  readonly hidden: { readonly bucket: number; readonly workspace_id: number; readonly value: string }
}

type Arrived = { message_id: string }

/**
 * Finds which of these bounced messages end a series of soft bounces: another message to the same address was accepted after the last
 * soft bounce and before this message, and has not bounced.
 */
export async function findDeliveredBetween(tx: Tx, messages: readonly BouncedMessage[]): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  const rows = await (tx.placement === undefined ? joinArrived(tx, messages) : lookArrivedUp(tx, messages))
  return new Set(rows.map(({ message_id }) => message_id))
}

function joinArrived(tx: Tx, messages: readonly BouncedMessage[]): Promise<Arrived[]> {
  return tx.query<Arrived>(
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
}

/** Does the same in two steps, because the bounces of an address may be on another shard than its messages. */
async function lookArrivedUp(tx: Tx, messages: readonly BouncedMessage[]): Promise<Arrived[]> {
  const bounces = await byShardWithItems<{ n: number; at_us: number }, BouncedMessage>(
    tx,
    messages,
    (part) =>
      prepared(sql`
    select w.n::int as n, (extract(epoch from s.at) * 1000000)::float8 as at_us
    from unnest(${int4Array(part.items.map(({ hidden }) => hidden.bucket))}::int4[],
      ${int4Array(part.items.map(({ hidden }) => hidden.workspace_id))}::int4[],
      ${textArray(part.items.map(({ hidden }) => hidden.value))}::text[]) with ordinality w(bucket, workspace_id, value, n)
    join soft_bounce s on s.bucket = w.bucket and s.workspace_id = w.workspace_id and s.kind = 'email' and s.value = w.value
      ${withinPart(part, 's')}`),
    ({ hidden }) => hidden.bucket,
  )
  const bounced = bounces.map(({ item: { bucket, message_id }, row }) => ({ bucket, message_id, atUs: row.at_us }))
  return byShard<Arrived, (typeof bounced)[number]>(tx, bounced, (part) =>
    prepared(sql`
    select b.message_id::text as message_id
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[],
      ${timestampArray(part.items.map(({ atUs }) => atUs))}::timestamptz[]) w(bucket, message_id, at)
    join message b on b.bucket = w.bucket and b.message_id = w.message_id ${withinPart(part, 'b')}
    where exists (select 1 from message m
      where m.bucket = b.bucket and m.profile_id = b.profile_id and m.channel = 'email' and m.address = b.address
        and m.state = 'accepted' and m.bounced_at is null and m.ended_at > w.at and m.ended_at < b.ended_at ${withinPart(part, 'm')})`),
  )
}
