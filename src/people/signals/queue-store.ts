import { int4Array, int8Array, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { laneCount, type SignalKind } from './signals.ts'

/** A waiting signal. Moments are epoch microseconds. */
export type WaitingSignal = {
  lane: number
  bucket: number
  profile_id: string
  signal_id: string
  workspace_id: number
  kind: SignalKind
  name: string
  time_us: number
  at_us: number
  properties: string | null
  amount: number | null
  message_id: string | null
}

/**
 * Locks a lane with waiting signals until the transaction ends. Skips lanes that another transaction has locked. Starts its search at
 * `from`.
 */
export async function lockLane(tx: Tx, from: number): Promise<number | undefined> {
  const [row] = await tx.query<{ lane: number }>(
    prepared(sql`
    select l.lane from signal_lane l
    where exists (select 1 from signal s where s.lane = l.lane and not s.failed)
    order by (l.lane - ${from}::int4 + ${laneCount}::int4) % ${laneCount}::int4 limit 1 for update skip locked`),
  )
  return row?.lane
}

/** Returns the oldest signals of a locked lane. */
export function listSignals(tx: Tx, lane: number, limit: number): Promise<WaitingSignal[]> {
  return tx.query<WaitingSignal>(
    prepared(sql`
    select s.lane, s.bucket, s.profile_id, s.signal_id, s.workspace_id, s.kind, s.name, ${microseconds(sql`s.time`)} as time_us,
      ${microseconds(sql`s.at`)} as at_us, s.properties, s.amount, s.message_id
    from signal s where s.lane = ${lane}::int2 and not s.failed order by s.at, s.signal_id limit ${limit}::int4`),
  )
}

/** Deletes signals that were handled. */
export async function deleteSignals(tx: Tx, signals: readonly WaitingSignal[]): Promise<void> {
  if (signals.length === 0) return
  await byShard<unknown, WaitingSignal>(tx, signals, (part) =>
    prepared(sql`
    delete from signal s using unnest(
      ${int4Array(part.items.map((each) => each.lane))}::int4[], ${timestampArray(part.items.map((each) => each.at_us))}::timestamptz[],
      ${int8Array(part.items.map((each) => each.signal_id))}::int8[], ${int4Array(part.items.map((each) => each.bucket))}::int4[])
      v(lane, at, signal_id, bucket)
    where s.lane = v.lane::int2 and s.at = v.at and s.signal_id = v.signal_id and s.bucket = v.bucket ${withinPart(part, 's')}`),
  )
}

/** Marks a signal that cannot be handled as failed. */
export async function setAside(tx: Tx, { lane, at_us, signal_id, bucket }: WaitingSignal): Promise<void> {
  await tx.query(sql`
    update signal set failed = true
    where lane = ${lane}::int2 and at = ${timestampFromUs(at_us)} and signal_id = ${signal_id}::int8 and bucket = ${bucket}`)
}

/** Makes failed signals wait again: this version may be able to handle them. */
export async function retryFailed(tx: Tx): Promise<void> {
  await tx.query(sql`update signal set failed = false where failed`)
}

/** Counts waiting signals, up to a maximum. */
export async function countSignals(tx: Tx, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from signal where not failed limit ${max}) s`,
  )
  return row!.count
}

/** Has a row when a signal waits. */
export function signalProbe(): Sql {
  return sql`select 1 from signal where not failed limit 1`
}

/** Returns whether any signal waits. */
export async function hasSignals(tx: Tx): Promise<boolean> {
  const rows = await tx.query(prepared(signalProbe()))
  return rows.length > 0
}

export function microseconds(column: Sql): Sql {
  return sql`(extract(epoch from ${column}) * 1000000)::float8`
}
