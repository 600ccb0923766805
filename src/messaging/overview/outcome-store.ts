import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Reason } from '../ledger/reasons.ts'

export type OutcomeCount = { channel: string; reason: Reason | null; count: string }

/** Counts the messages of a workspace that were planned for a time, by channel and what became of them: null has not ended. */
export function countOutcomes(tx: Tx, workspace_id: number, fromMs: number, untilMs: number): Promise<OutcomeCount[]> {
  return tx.query<OutcomeCount>(sql`
    select channel, reason, count(*)::int8 as count from message
    where workspace_id = ${workspace_id} and planned_at >= ${timestampFromMs(fromMs)} and planned_at < ${timestampFromMs(untilMs)}
    group by channel, reason`)
}
