import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { invalid } from '../../base/errors.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { sendOfAnother } from './message-schema.ts'
import type { Meant } from './read-message-recipients.ts'
import type { Schedule } from './schedule.ts'
import { unknownSchedule } from './schedule-schema.ts'
import type { Sending } from './sending.ts'

/** An order to send as it is kept; without an e-mail where nothing of it is delivered here. */
export type Order = {
  readonly dispatch_id: string
  readonly schedule: Schedule
  readonly meant: Meant
  readonly email: EmailObject | undefined
}

type Row = { dispatch_id: string; schedule: Schedule; sending: Sending }

/** The order of a schedule, held until the end of the transaction; one to a canvas or a campaign is none of these. Throws 400. */
export async function getOrder(tx: Tx, workspace_id: number, schedule_id: string): Promise<Order> {
  const [row] = await tx.query<Row>(sql`
    select dispatch_id, schedule, sending from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id} and sending -> 'flow' is null
    for update`)
  if (!row) throw invalid(unknownSchedule)
  const { email, campaign: _campaign, flow: _flow, ...meant } = row.sending
  const { dispatch_id, schedule } = row
  return { dispatch_id, schedule, meant, email }
}

/** Throws 400 for an identifier of sends that was made for another campaign; one that was never made may be of any. */
export async function checkSend(
  tx: Tx,
  workspace_id: number,
  send_id: string | undefined,
  flow_id: number | undefined,
): Promise<void> {
  if (send_id === undefined || flow_id === undefined) return
  const [row] = await tx.query<{ flow_id: number }>(sql`
    select flow_id from send where workspace_id = ${workspace_id} and send_id = ${send_id}`)
  if (row && row.flow_id !== flow_id) throw invalid(sendOfAnother)
}

/** The campaign that the order of a schedule belongs to, if there is such an order and it does. */
export async function findOrderCampaign(
  tx: Tx,
  workspace_id: number,
  schedule_id: string,
): Promise<number | undefined> {
  const [row] = await tx.query<{ flow_id: number | null }>(sql`
    select (sending -> 'campaign' ->> 'flow_id')::int as flow_id from dispatch
    where schedule_id = ${schedule_id}::uuid and workspace_id = ${workspace_id}`)
  return row?.flow_id ?? undefined
}
