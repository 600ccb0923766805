import { untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Entry } from './entry.ts'

/** Holds some entries of a flow back, or releases them. Returns how many. */
export async function updateHeld(tx: Tx, flow_id: number, held: boolean, limit: number): Promise<number> {
  const hold = (part: ShardPart, taken: readonly unknown[]) =>
    prepared(sql`
    with o as materialized (
      select bucket, entry_id from entry
      where flow_id = ${flow_id} and held = ${!held} and state in ('arriving', 'waiting', 'listening') and state <> 'ended'
        ${withinPart(part, 'entry')}
      limit ${limit - taken.length} for update skip locked)
    update entry e set held = ${held} from o
    where e.bucket = o.bucket and e.entry_id = o.entry_id ${withinPart(part, 'e')} returning 1`)
  const rows = await untilFull<unknown>(tx, hold, (taken) => taken.length >= limit)
  return rows.length
}

/** Returns whether the flow has more entries to hold back or to release. Rows that other transactions have locked count. */
export async function hasEntriesToUpdate(tx: Tx, flow_id: number, held: boolean): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    select 1 from entry where flow_id = ${flow_id} and held = ${!held} and state in ('arriving', 'waiting', 'listening')
      and state <> 'ended' limit 1`),
  )
  return rows.length > 0
}

/** Returns some open entries of a flow. */
export function listOpenEntries(tx: Tx, flow_id: number, limit: number): Promise<Pick<Entry, 'bucket' | 'entry_id'>[]> {
  return tx.query(
    sql`select bucket, entry_id from entry where flow_id = ${flow_id} and state <> 'ended' limit ${limit}`,
  )
}
