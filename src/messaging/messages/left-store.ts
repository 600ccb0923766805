import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { MessageKey } from './message.ts'

/** Locks a message, and returns when an administrator decided to leave it as it is. */
export async function findLeft(tx: Tx, { bucket, message_id }: MessageKey): Promise<Date | undefined> {
  const [row] = await tx.query<{ left_at: Date | null }>(sql`
    select left_at from message where bucket = ${bucket} and message_id = ${message_id}::int8 for update`)
  return row?.left_at ?? undefined
}

/** Writes that a message is left as it is. */
export async function leaveMessage(tx: Tx, { bucket, message_id }: MessageKey, leftMs: number): Promise<void> {
  await tx.query(sql`
    update message set left_at = ${timestampFromMs(leftMs)} where bucket = ${bucket} and message_id = ${message_id}::int8`)
}

type Visit = {
  readonly bucket: number
  readonly profile_id: string
  readonly cause: string
  readonly step: string
  readonly visit: number
  readonly channel: string
}

/** Whether the person has a message of the same cause and step whose visit is so much later. */
export async function hasLaterVisit(
  tx: Tx,
  { bucket, profile_id, cause, step, visit, channel }: Visit,
  later: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from message where bucket = ${bucket} and cause = ${cause}::uuid and profile_id = ${profile_id}::int8
      and step = ${step} and visit = ${visit + later}::int4 and channel = ${channel}`)
  return rows.length > 0
}
