import { textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Schedule } from '../orders/schedule.ts'

/** A slot of a local time that is still to come. */
export type ZoneSlot = {
  readonly dispatch_id: string
  readonly zone: string
  readonly workspace_id: number
  readonly schedule: Schedule
  readonly dueMs: number
}

/** Slots of local times that are due after `nowMs` and nobody has begun, a page in the order of their keys. */
export async function listZoneSlots(
  tx: Tx,
  nowMs: number,
  after: Pick<ZoneSlot, 'dispatch_id' | 'zone'> | undefined,
  limit: number,
): Promise<ZoneSlot[]> {
  const beyond = after ? sql`and (s.dispatch_id, s.zone) > (${after.dispatch_id}::uuid, ${after.zone})` : sql``
  const rows = await tx.query<Omit<ZoneSlot, 'dueMs'> & { due_at: Date }>(sql`
    select s.dispatch_id, s.zone, s.workspace_id, s.due_at, d.schedule
    from dispatch_slot s join dispatch d on d.dispatch_id = s.dispatch_id
    where s.state in ('waiting', 'held') and s.reason is null and s.after_id is null and s.due_at > ${timestampFromMs(nowMs)}
      and (d.schedule @> '{"in_local_time": true}' or d.schedule @> '{"at_optimal_time": true}') ${beyond}
    order by s.dispatch_id, s.zone limit ${limit}`)
  return rows.map(({ due_at, ...slot }) => ({ ...slot, dueMs: due_at.getTime() }))
}

/** Moves slots that are still where they were found. */
export async function moveDue(tx: Tx, moves: readonly { slot: ZoneSlot; dueMs: number }[]): Promise<void> {
  if (moves.length === 0) return
  await tx.query(
    prepared(sql`
    update dispatch_slot s set due_at = w.due_at
    from unnest(${textArray(moves.map(({ slot }) => slot.dispatch_id))}::text[], ${textArray(moves.map(({ slot }) => slot.zone))}::text[],
      ${timestampArray(moves.map(({ slot }) => slot.dueMs * 1000))}::timestamptz[],
      ${timestampArray(moves.map(({ dueMs }) => dueMs * 1000))}::timestamptz[]) w(dispatch_id, zone, before, due_at)
    where s.dispatch_id = w.dispatch_id::uuid and s.zone = w.zone and s.due_at = w.before and s.state in ('waiting', 'held')`),
  )
}
