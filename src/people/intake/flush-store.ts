import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Versions of the data that this process caches; each rises with every change. */
export type Versions = { workspace: number; identity: number; watched: number }

/** Reads the versions. The statement has no parameters, so it can be sent together with BEGIN. */
export async function readVersions(tx: Tx): Promise<Versions> {
  const rows = await tx.query<{ name: string; number: string }>(sql`select name, number from version`)
  return Object.fromEntries(rows.map(({ name, number }) => [name, Number(number)])) as Versions
}

/** Thrown when a flush was already committed and must not be applied again. */
export class AlreadyApplied extends Error {}

/** Returns the bucket of a flush: the first 12 bits of its id. */
function bucketOf(flush_id: string): number {
  return Number.parseInt(flush_id.slice(0, 3), 16)
}

/**
 * Stores the id of a flush. Call it before anything else is written. When the same flush is applied twice, the second one waits for the
 * outcome of the first, and throws `AlreadyApplied` if that was committed.
 */
export async function insertFlush(tx: Tx, flush_id: string, atMs: number): Promise<void> {
  const rows = await tx.query(
    prepared(sql`
    insert into flush (bucket, flush_id, at) values (${bucketOf(flush_id)}, ${flush_id}, ${timestampFromMs(atMs)})
    on conflict do nothing returning 1`),
  )
  if (rows.length === 0) throw new AlreadyApplied('the flush has been applied before')
}

/** Returns whether a flush was committed. */
export async function isFlushCommitted(tx: Tx, flush_id: string): Promise<boolean> {
  const rows = await tx.query(sql`select 1 from flush where bucket = ${bucketOf(flush_id)} and flush_id = ${flush_id}`)
  return rows.length > 0
}

/** Deletes old ids. A process searches for an id only until the deadline for the outcome of its COMMIT. */
export async function deleteFlushes(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from flush where at < ${timestampFromMs(beforeMs)}`)
}
