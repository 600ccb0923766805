import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { invalid } from '../../base/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { unknownSchedule } from './schedule-schema.ts'

/** Throws 400 for a schedule that is none of this flow's. */
export async function checkOrder(tx: Tx, { workspace_id, flow_id }: Flow, schedule_id: string): Promise<void> {
  const [row] = await tx.query(sql`
    select 1 from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id}
      and (sending -> 'flow' ->> 'flow_id')::int = ${flow_id} for update`)
  if (!row) throw invalid(unknownSchedule)
}
