import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { duplicateStepPrefix } from '../messages/duplicate-messages.ts'
import type { MessageClass } from '../messages/message.ts'

/** The steps of duplicates: after a merge the person has another mail of the dispatch. */
const duplicateSteps = `${duplicateStepPrefix}%`

export type UncertainRow = {
  message_id: string
  bucket: number
  profile_id: string
  cause: string
  step: string
  visit: number
  channel: string
  class: MessageClass
  flow_id: number | null
  flow_version: number | null
  variant: string | null
}

/** Returns an uncertain message or one that was set aside, also when its person was merged. */
export async function findUncertain(
  tx: Tx,
  workspace_id: number,
  message_id: string,
): Promise<UncertainRow | undefined> {
  const [row] = await tx.query<UncertainRow>(sql`
    select m.message_id, m.bucket, m.profile_id, m.cause, m.step, m.visit, m.channel, m.class, m.flow_id, m.flow_version, m.variant
    from message m where m.workspace_id = ${workspace_id} and (m.state = 'uncertain' or m.reason = 'set_aside')
      and m.step not like ${duplicateSteps}
      and m.message_id = ${message_id}::int8`)
  return row
}
