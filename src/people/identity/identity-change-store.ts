import { registerAnnouncement } from '../../base/db/announcement.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { raiseVersion } from '../../base/db/versions.ts'
import type { IdentityChanges } from './identities.ts'
import type { Person } from './person.ts'
import { personRows } from './person-store.ts'

/** The most rows that a cache reads to catch up. With more changes, the cache is cleared. */
export const changesMax = 10_000

/**
 * Tells the caches of all processes that some identifier no longer names one of these people. Call it last in a transaction: no other
 * transaction can announce changes until it ends. `atMs` is machine time. Who has read the new version calls `waitForAnnounced` before it
 * reads identifiers.
 */
export async function announceIdentityChanges(tx: Tx, people: readonly Person[], atMs: number): Promise<void> {
  if (people.length === 0) return
  await registerAnnouncement(tx)
  const version = await raiseVersion(tx, 'identity')
  await tx.query(sql`
    insert into identity_change (bucket, number, profile_id, at)
    select w.bucket, ${version}::int8, w.profile_id, ${timestampFromMs(atMs)}
    from ${personRows(people)} w(bucket, profile_id) on conflict do nothing`)
}

/** Returns the people announced after `number`; undefined if some announcements were deleted or there are more than `changesMax`. */
export async function listIdentityChanges(tx: Tx, number: number): Promise<IdentityChanges | undefined> {
  const rows = await tx.query<{ number: string; profile_id: string }>(
    sql`select number, profile_id from identity_change where number > ${number} order by number limit ${changesMax + 1}`,
  )
  if (rows.length === 0 || rows.length > changesMax) return undefined
  const newest = Number(rows.at(-1)!.number)
  // Every announcement has rows, so a gap in the numbers means that some were deleted.
  const numbers = new Set(rows.map((row) => row.number))
  if (numbers.size !== newest - number) return undefined
  return { number: newest, profile_ids: rows.map((row) => row.profile_id) }
}

/** Deletes old announcements. A process that has not flushed since then clears its cache. `beforeMs` is machine time. */
export async function deleteIdentityChanges(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from identity_change where at < ${timestampFromMs(beforeMs)}`)
}
