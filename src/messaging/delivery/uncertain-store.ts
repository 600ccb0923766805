import type { Tx } from '../../base/db/db.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUsText } from '../../base/db/timestamps.ts'
import { duplicateStepPrefix } from '../messages/duplicate-messages.ts'
import type { MessageClass } from '../messages/message.ts'
import type { ResendableState } from './uncertain-schema.ts'

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
  address: string | null
  subject: string | null
  response: string | null
  planned_at: Date
  ended_at: Date
  flow_id: number | null
  flow_version: number | null
  variant: string | null
  ended_us: string
  external_id: string | null
}

/** A page begins right after this message. */
export type UncertainCursor = { endedUs: string; message_id: string }

const isResendable: Readonly<Record<ResendableState, Sql>> = {
  uncertain: sql`m.state = 'uncertain'`,
  set_aside: sql`m.reason = 'set_aside'`,
}

/** Returns messages in this state, newest first, without those that were sent again. */
export function listUncertain(
  tx: Tx,
  workspace_id: number,
  state: ResendableState,
  after: UncertainCursor | undefined,
  limit: number,
  resendVisits: number,
): Promise<UncertainRow[]> {
  const page = after
    ? sql`and (m.ended_at, m.message_id) <
        (${timestampFromUsText(after.endedUs)}, ${after.message_id}::int8)`
    : sql``
  return tx.query<UncertainRow>(sql`
    select m.message_id, m.bucket, m.profile_id, m.cause, m.step, m.visit, m.channel, m.class, m.address, m.subject, m.response,
      m.planned_at, m.ended_at, m.flow_id, m.flow_version, m.variant,
      (extract(epoch from m.ended_at) * 1000000)::int8 as ended_us, p.external_id
    from message m left join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id
    where m.workspace_id = ${workspace_id} and ${isResendable[state]} and m.step not like ${duplicateSteps} ${page}
      and not exists (
        select 1 from message a where a.bucket = m.bucket and a.cause = m.cause and a.profile_id = m.profile_id and a.step = m.step
          and a.visit = m.visit + ${resendVisits}::int4 and a.channel = m.channel)
    order by m.ended_at desc, m.message_id desc limit ${limit}`)
}

/** Returns an uncertain message or one that was set aside, also when its person was merged. */
export async function findUncertain(
  tx: Tx,
  workspace_id: number,
  message_id: string,
): Promise<Omit<UncertainRow, 'ended_us' | 'external_id'> | undefined> {
  const [row] = await tx.query<UncertainRow>(sql`
    select m.message_id, m.bucket, m.profile_id, m.cause, m.step, m.visit, m.channel, m.class, m.address, m.subject, m.response,
      m.planned_at, m.ended_at, m.flow_id, m.flow_version, m.variant
    from message m where m.workspace_id = ${workspace_id} and (m.state = 'uncertain' or m.reason = 'set_aside')
      and m.step not like ${duplicateSteps}
      and m.message_id = ${message_id}::int8`)
  return row
}
