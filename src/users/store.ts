import type { Tx } from '../base/db/db.ts'
import { at } from '../base/db/moment.ts'
import { raw, sql } from '../base/db/sql.ts'

export type BegunFlush = {
  /** False when this flush has been applied before. */
  first: boolean
  workspaceVersion: number
  identityVersion: number
  watchedVersion: number
}

/** The first 12 bits of a flush's id are its bucket. */
function bucketOf(flush_id: string): number {
  return Number.parseInt(flush_id.slice(0, 3), 16)
}

/**
 * Writes the flush's id first, so that a second application of the same flush waits for the first one's outcome. What it says is our
 * own and written into the text: without parameters it goes along with BEGIN.
 */
export async function insertFlush(tx: Tx, flush_id: string, atMs: number): Promise<BegunFlush> {
  const values = raw(
    `${bucketOf(flush_id)}, '${flush_id}', timestamptz 'epoch' + ${Math.round(atMs)} * interval '1 ms'`,
  )
  const rows = await tx.query<{ inserted: number; workspace: string; identity: string; watched: string }>(sql`
    with begun as (
      insert into flush (bucket, flush_id, at)
      values (${values})
      on conflict do nothing returning 1)
    select (select count(*) from begun)::int as inserted,
      (select number from version where name = 'workspace') as workspace,
      (select number from version where name = 'identity') as identity,
      (select number from version where name = 'watched') as watched`)
  const row = rows[0]!
  return {
    first: row.inserted === 1,
    workspaceVersion: Number(row.workspace),
    identityVersion: Number(row.identity),
    watchedVersion: Number(row.watched),
  }
}

export async function findFlush(tx: Tx, flush_id: string): Promise<boolean> {
  const rows = await tx.query(sql`select 1 from flush where bucket = ${bucketOf(flush_id)} and flush_id = ${flush_id}`)
  return rows.length > 0
}

/** Nobody asks about a flush after its connection's outcome deadline; older ids go. */
export async function deleteFlushes(tx: Tx, beforeMs: number): Promise<void> {
  await tx.query(sql`delete from flush where at < ${at(beforeMs)}`)
}
