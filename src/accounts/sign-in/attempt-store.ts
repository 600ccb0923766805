import { type AttemptCount, countOneMore } from '../../base/db/attempt-window.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Counts one attempt and returns the attempts of its window. A window that began before `sinceMs` starts again. */
export async function countAttempt(tx: Tx, key: Buffer, nowMs: number, sinceMs: number): Promise<AttemptCount> {
  const [row] = await tx.query<AttemptCount>(sql`
    insert into sign_in_attempt as t (key, count, began_at) values (${key}, 1, ${timestampFromMs(nowMs)})
    on conflict (key) do update set ${countOneMore(sinceMs)}
    returning count, began_at`)
  return row!
}

/** Deletes attempts whose window has ended. */
export async function deleteOldAttempts(tx: Tx, sinceMs: number): Promise<void> {
  await tx.query(sql`delete from sign_in_attempt where began_at <= ${timestampFromMs(sinceMs)}`)
}
