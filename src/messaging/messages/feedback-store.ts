import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { insertSelectedEvents } from '../../people/feed/write-store.ts'
import type { MessageClass, MessageKey } from './message.ts'

/** A message that bounced or was complained about, with what the counts of its flow need. */
export type MarkedMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly workspace_id: number
  readonly cause: string
  readonly channel: string
  readonly step: string
  readonly variant: string | null
  readonly flow_id: number | null
  readonly state: string
  readonly ended_at: Date | null
  readonly class: MessageClass
}

const markedColumns = sql`m.bucket, m.message_id::text as message_id, m.workspace_id, m.cause::text as cause, m.channel, m.step, m.variant,
      m.flow_id, m.state, m.ended_at, m.class`
const markedMembers = sql`bucket, message_id, workspace_id, cause, channel, step, variant, flow_id, state, ended_at, class`

/** A message that bounced: the kind of the bounce, and what the server said. */
export type BouncedMessage = MessageKey & { readonly kind: string; readonly detail: string }

/** Marks messages as bounced, each with an event. Returns those that were not marked before. */
export async function markBounced(
  tx: Tx,
  messages: readonly BouncedMessage[],
  stampUs: number,
): Promise<MarkedMessage[]> {
  if (messages.length === 0) return []
  return byShard<MarkedMessage, BouncedMessage>(tx, messages, (part) =>
    prepared(sql`
    with marked as (
      update message m set bounced_at = ${timestampFromUs(stampUs)}
      from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
        ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[], ${textArray(part.items.map(({ kind }) => kind))}::text[],
        ${textArray(part.items.map(({ detail }) => detailOf(detail)))}::text[]) w(bucket, message_id, kind, detail)
      where m.bucket = w.bucket and m.message_id = w.message_id and m.bounced_at is null ${withinPart(part, 'm')}
      returning ${markedColumns}, m.profile_id, m.address, w.kind, w.detail),
    fed as (${insertEventsOf('message.bounced', stampUs, bounceDetails)})
    select ${markedMembers} from marked`),
  )
}

/** Writes the event of a message that arrived: once, even if the provider reports it again. */
export async function insertDeliveredEvent(tx: Tx, { bucket, message_id }: MessageKey, stampUs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    with marked as (
      select m.* from message m where m.bucket = ${bucket} and m.message_id = ${message_id}::int8)
    ${insertEventsOf('message.delivered', stampUs, sql`json_build_object('channel', m.channel)`)}`),
  )
}

/** Texts come from servers. */
const detailCharactersMax = 1_000

function detailOf(detail: string): string {
  return detail.slice(0, detailCharactersMax).replaceAll('\u0000', '\ufffd').toWellFormed()
}

const bounceDetails = sql`json_build_object('channel', m.channel, 'bounce', m.kind, 'detail', m.detail)`

/** Returns the events of the messages that a statement has `marked`. `m` in the details is such a message. */
function insertEventsOf(
  type: 'message.bounced' | 'message.complained' | 'message.delivered',
  stampUs: number,
  details: Sql,
): Sql {
  return insertSelectedEvents(sql`
      select m.bucket, m.profile_id, m.workspace_id, m.profile_id, ${type}::text, m.message_id, ${timestampFromUs(stampUs)}, 0::int4,
        null::int8, null::text, m.message_id::int8, m.flow_id, m.address, ${details}::text
      from marked m`)
}

/** Marks a message as complained about, with an event. Returns undefined if it was marked before. */
export async function markComplained(
  tx: Tx,
  { bucket, message_id }: MessageKey,
  stampUs: number,
): Promise<MarkedMessage | undefined> {
  const [row] = await tx.query<MarkedMessage>(
    prepared(sql`
    with marked as (
      update message m set complained_at = ${timestampFromUs(stampUs)}
      where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and m.complained_at is null
      returning ${markedColumns}, m.profile_id, m.address),
    fed as (${insertEventsOf('message.complained', stampUs, sql`json_build_object('channel', m.channel)`)})
    select ${markedMembers} from marked`),
  )
  return row
}
