import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

/** Numbers that rise with every change that this process keeps a copy of. */
export type Versions = { workspace: number; identity: number; watched: number }

/** Without parameters: goes along with BEGIN. */
export async function readVersions(tx: Tx): Promise<Versions> {
  const rows = await tx.query<{ name: string; number: string }>(sql`select name, number from version`)
  return Object.fromEntries(rows.map(({ name, number }) => [name, Number(number)])) as Versions
}

/** A flush has been applied before: nothing of it may be applied again. */
export class AlreadyApplied extends Error {}

/** The first 12 bits of a flush's id are its bucket. */
function bucketOf(flush_id: string): number {
  return Number.parseInt(flush_id.slice(0, 3), 16)
}

/**
 * Writes the flush's id, before anything else is written: a second application of the same flush waits for the first one's outcome, and
 * fails with `AppliedBefore` if that was committed.
 */
export async function insertFlush(tx: Tx, flush_id: string, atMs: number): Promise<void> {
  const rows = await tx.query(
    prepared(sql`
    insert into flush (bucket, flush_id, at) values (${bucketOf(flush_id)}, ${flush_id}, ${timestampFromMs(atMs)})
    on conflict do nothing returning 1`),
  )
  if (rows.length === 0) throw new AlreadyApplied('the flush has been applied before')
}

export async function findFlush(tx: Tx, flush_id: string): Promise<boolean> {
  const rows = await tx.query(sql`select 1 from flush where bucket = ${bucketOf(flush_id)} and flush_id = ${flush_id}`)
  return rows.length > 0
}

/** Nobody asks about a flush after its connection's outcome deadline; older ids go. */
export async function deleteFlushes(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from flush where at < ${timestampFromMs(beforeMs)}`)
}
