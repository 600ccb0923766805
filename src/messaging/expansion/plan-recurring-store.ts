import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { Schedule } from '../orders/schedule.ts'

/** An order that was made by the schedule of a flow. `isOpen`: it has slots that are not done. */
export type PlannedOrder = {
  readonly dispatch_id: string
  readonly schedule: Schedule
  readonly isCancelled: boolean
  readonly isOpen: boolean
}

export function listPlannedOrders(tx: Tx, flow_id: number): Promise<PlannedOrder[]> {
  return tx.query<PlannedOrder>(sql`
    select d.dispatch_id, d.schedule, d.state = 'cancelled' as "isCancelled", exists (
      select 1 from dispatch_slot s where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'running', 'held')) as "isOpen"
    from dispatch d
    where d.flow_id = ${flow_id} and d.sending -> 'recipients' is null and d.sending #>> '{flow,by}' = 'schedule'`)
}
