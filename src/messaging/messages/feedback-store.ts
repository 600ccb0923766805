import { int4Array, int8Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
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

/** Marks messages as bounced. Returns those that were not marked before. */
export async function markBounced(tx: Tx, messages: readonly MessageKey[], stampUs: number): Promise<MarkedMessage[]> {
  if (messages.length === 0) return []
  return tx.query<MarkedMessage>(
    prepared(sql`
    update message m set bounced_at = ${timestampFromUs(stampUs)}
    from unnest(${int4Array(messages.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[]) w(bucket, message_id)
    where m.bucket = w.bucket and m.message_id = w.message_id and m.bounced_at is null
    returning ${markedColumns}`),
  )
}

/** Marks a message as complained about. Returns undefined if it was marked before. */
export async function markComplained(
  tx: Tx,
  { bucket, message_id }: MessageKey,
  stampUs: number,
): Promise<MarkedMessage | undefined> {
  const [row] = await tx.query<MarkedMessage>(
    prepared(sql`
    update message m set complained_at = ${timestampFromUs(stampUs)}
    where m.bucket = ${bucket} and m.message_id = ${message_id}::int8 and m.complained_at is null returning ${markedColumns}`),
  )
  return row
}
