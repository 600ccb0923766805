import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { Reason } from '../ledger/reasons.ts'

export type MessageDecisionRow = { time: Date; reason: Reason; rule: string | null; inputs: unknown }

/** Lists the decisions about a message, newest first. */
export function listMessageDecisions(
  tx: Tx,
  { bucket, profile_id, message_id }: { bucket: number; profile_id: string; message_id: string },
): Promise<MessageDecisionRow[]> {
  return tx.query<MessageDecisionRow>(sql`
    select d.time, d.reason, d.rule, d.inputs from decision d
    where d.bucket = ${bucket} and d.profile_id = ${profile_id}::int8 and d.message_id = ${message_id}::int8
    order by d.time desc`)
}
