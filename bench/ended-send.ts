import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { writeBroadcast } from './dispatch.ts'
import type { Population } from './people.ts'

const deadlineMs = 600_000

/** Writes a broadcast to everybody that has ended: most messages were sent, some were held or have failed. */
export async function writeEndedSend(db: Db, population: Population): Promise<void> {
  const dispatch_id = await writeBroadcast(db, population)
  await db.transaction(
    (tx) =>
      tx.query(sql`
        update message set ended_at = planned_at, attempts = 1,
          state = case when message_id % 10 = 0 then 'suppressed' when message_id % 997 = 0 then 'failed' else 'accepted' end,
          reason = case when message_id % 10 = 0 then 'frequency_capped' when message_id % 997 = 0 then 'template_error' else 'sent' end
        where cause = ${dispatch_id}::text::uuid`),
    { deadlineMs },
  )
  await db.transaction(
    (tx) =>
      tx.query(sql`
        insert into decision (bucket, profile_id, workspace_id, time, cause, channel, message_id, reason)
        select bucket, profile_id, workspace_id, planned_at, cause, channel, message_id, reason
        from message where cause = ${dispatch_id}::text::uuid`),
    { deadlineMs },
  )
  await db.execute('vacuum (analyze) message')
}
