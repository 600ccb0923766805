import type { Db } from '../db/db.ts'
import { sql } from '../db/sql.ts'

/** One window of one limit; `name` says group and window (`track/per_hour`), `startMs` is machine time. */
export type WindowKey = { workspace_id: number; name: string; startMs: number; lengthMs: number }

// A count lost in a crash is worth less than a wait for the disk on every limited request.
const settings = ['synchronous_commit = off']

/**
 * Counts `want` requests in the window unless it is full. Returns how many had been counted before, undefined when full. The
 * count may pass `size`: what is over was granted to nobody.
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

/** Deletes the windows before the last one; that one stays for a process whose clock is a little behind. */
export async function deleteOldWindows(db: Db, key: WindowKey): Promise<void> {
  await db.transaction(
    (tx) =>
      tx.query(sql`
        delete from rate_window
        where workspace_id = ${key.workspace_id} and limit_name = ${key.name}
          and window_start < ${key.startMs - key.lengthMs}`),
    { settings },
  )
}
