import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Counting stops here, because an overflow would make every later attempt fail with a database error. */
const countMax = 1_000_000

export type AttemptCount = { key: string; count: number; began_at: Date }

/** Counts one attempt for each key. Keys are hexadecimal and sorted. A window that began before `sinceMs` starts again. */
export function countAttempts(
  tx: Tx,
  keys: readonly string[],
  nowMs: number,
  sinceMs: number,
): Promise<AttemptCount[]> {
  return tx.query<AttemptCount>(sql`
    insert into sign_in_attempt as t (key, count, began_at)
    select decode(key, 'hex'), 1, ${timestampFromMs(nowMs)} from unnest(${textArray(keys)}::text[]) as given (key)
    on conflict (key) do update set
      count = case when t.began_at <= ${timestampFromMs(sinceMs)} then 1 else least(t.count + 1, ${countMax}) end,
      began_at = case when t.began_at <= ${timestampFromMs(sinceMs)} then excluded.began_at else t.began_at end
    returning encode(key, 'hex') as key, count, began_at`)
}

/** Deletes attempts whose window has ended. */
export async function deleteOldAttempts(tx: Tx, sinceMs: number): Promise<void> {
  await tx.query(sql`delete from sign_in_attempt where began_at <= ${timestampFromMs(sinceMs)}`)
}
