import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Counting stops here: an overflow would make every later attempt fail with a database error. */
const countMax = 1_000_000

export type AttemptCount = { readonly count: number; readonly began_at: Date }

/** Counts one attempt and returns the attempts of its window. A window that began before `sinceMs` starts again. */
export async function countSignUp(tx: Tx, key: Buffer, nowMs: number, sinceMs: number): Promise<AttemptCount> {
  const [row] = await tx.query<AttemptCount>(sql`
    insert into sign_up_attempt as t (key, count, began_at) values (${key}, 1, ${timestampFromMs(nowMs)})
    on conflict (key) do update set
      count = case when t.began_at <= ${timestampFromMs(sinceMs)} then 1 else least(t.count + 1, ${countMax}) end,
      began_at = case when t.began_at <= ${timestampFromMs(sinceMs)} then excluded.began_at else t.began_at end
    returning count, began_at`)
  return row!
}

/** Deletes attempts whose window began before a moment. */
export async function deleteOldSignUps(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from sign_up_attempt where began_at < ${timestampFromMs(beforeMs)}`)
}
