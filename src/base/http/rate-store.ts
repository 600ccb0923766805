import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'

/**
 * One window of one limit. `name` is group and window, such as `track/per_hour`, with the id of an API key between them in a group that is
 * counted for each; `startMs` is machine time.
 */
export type WindowKey = { workspace_id: number; name: string; startMs: number; lengthMs: number }

// A crash may lose a count. Otherwise every limited request would wait for the disk.
const settings = ['synchronous_commit = off']

/**
 * Counts `want` requests in the window unless it is full. Returns how many were counted before, undefined when it is full. The count may
 * exceed `size`: the excess is not granted.
 */
export async function takeFromWindow(db: Db, key: WindowKey, want: number, size: number): Promise<number | undefined> {
  const rows = await db.transaction(
    (tx) =>
      tx.query<{ used: string }>(sql`
        insert into rate_window (workspace_id, limit_name, window_start, used)
        values (${key.workspace_id}, ${key.name}, ${key.startMs}, ${want})
        on conflict (workspace_id, limit_name, window_start)
        do update set used = rate_window.used + excluded.used where rate_window.used < ${size}
        returning used`),
    { settings },
  )
  const row = rows[0]
  return row === undefined ? undefined : Number(row.used) - want
}

/**
 * Deletes the windows before the previous one, which stays for a process whose clock is a little behind. Those of other API keys are
 * deleted too, because a deleted key begins no window.
 */
export async function deleteOldWindows(db: Db, key: WindowKey): Promise<void> {
  await db.transaction(
    (tx) =>
      tx.query(sql`
        delete from rate_window
        where workspace_id = ${key.workspace_id} and limit_name like ${key.name.replace(/\/.*\//, '/%/')}
          and window_start < ${key.startMs - key.lengthMs}`),
    { settings },
  )
}
