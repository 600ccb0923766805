import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { FlowState } from '../flows/flow.ts'
import type { Entry } from './entry.ts'

/** Flows whose entries and messages have yet to follow. */
export async function listUnsettledFlows(tx: Tx, limit: number): Promise<number[]> {
  const rows = await tx.query<{ flow_id: number }>(
    sql`select flow_id from flow where unsettled order by updated_at limit ${limit}`,
  )
  return rows.map(({ flow_id }) => flow_id)
}

/** One of them with its state, held until the end of the transaction; undefined when nothing is left to do. */
export async function lockUnsettledFlow(tx: Tx, flow_id: number): Promise<FlowState | undefined> {
  const [row] = await tx.query<{ state: FlowState }>(sql`
    select state from flow where flow_id = ${flow_id} and unsettled for no key update`)
  return row?.state
}

export async function updateFlowSettled(tx: Tx, flow_id: number): Promise<void> {
  await tx.query(sql`update flow set unsettled = false where flow_id = ${flow_id}`)
}

/** Holds some entries of a flow back, or lets them go on. Answers how many. */
export async function moveHeld(tx: Tx, flow_id: number, held: boolean, limit: number): Promise<number> {
  const rows = await tx.query(
    prepared(sql`
    update entry e set held = ${held}
    from (
      select bucket, entry_id from entry
      where flow_id = ${flow_id} and held = ${!held} and state in ('arriving', 'waiting', 'listening') and state <> 'ended'
      limit ${limit} for update skip locked) o
    where e.bucket = o.bucket and e.entry_id = o.entry_id returning 1`),
  )
  return rows.length
}

/** Whether an entry of a flow is yet to be held back, or to go on; those that others are at count. */
export async function hasToMove(tx: Tx, flow_id: number, held: boolean): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    select 1 from entry where flow_id = ${flow_id} and held = ${!held} and state in ('arriving', 'waiting', 'listening')
      and state <> 'ended' limit 1`),
  )
  return rows.length > 0
}

/** Some open entries of a flow. */
export function listOpenOf(tx: Tx, flow_id: number, limit: number): Promise<Pick<Entry, 'bucket' | 'entry_id'>[]> {
  return tx.query(
    sql`select bucket, entry_id from entry where flow_id = ${flow_id} and state <> 'ended' limit ${limit}`,
  )
}

/** Some messages of entries of a flow that are in one of these states. */
export function listFlowMessages(
  tx: Tx,
  flow_id: number,
  state: 'queued' | 'held',
  limit: number,
): Promise<{ bucket: number; message_id: string }[]> {
  return tx.query(sql`
    select bucket, message_id from message
    where flow_id = ${flow_id} and state in ('queued', 'held') and state = ${state} and flow_version is not null limit ${limit}`)
}
