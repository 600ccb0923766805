import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { checkEmail } from '../mail/read-email-object.ts'
import { lockMessageOrder, updateSchedule } from './change-schedule.ts'
import { type Campaign, findCampaignById } from './message-campaign.ts'
import { type ChangeReply, changeRequired } from './message-schema.ts'
import { findOrderCampaign } from './order-store.ts'
import { loadMessageContext, type MessageServices, toSending } from './place-message-order.ts'
import { type MessageContent, messageNotice, readBody, readContent } from './read-message-request.ts'
import { readSchedule, type Schedule } from './schedule.ts'
import { readScheduleId } from './schedule-id.ts'
import { alreadySent } from './schedule-schema.ts'

type Change = {
  readonly schedule: Schedule | undefined
  readonly content: MessageContent | undefined
  readonly campaign: Campaign | undefined
}

/**
 * Changes something that waits for its time (contract 10.3): `schedule` replaces the whole schedule, `messages` all messages; what is
 * left out stays.
 */
export async function updateMessageSchedule(
  call: Call,
  body: unknown,
  parts: MessageServices,
  commit: Commit,
): Promise<ChangeReply> {
  const given = readBody(body)
  const schedule_id = readScheduleId(given.schedule_id)
  if (!isGiven(given.schedule) && !isGiven(given.messages)) throw invalid(changeRequired)
  const campaign = isGiven(given.messages) ? await campaignOf(call, schedule_id, parts) : undefined
  const known = await loadMessageContext(parts, call, undefined)
  const content = isGiven(given.messages) ? readContent(given.messages, known, campaign) : undefined
  const schedule = isGiven(given.schedule) ? readSchedule(given.schedule, call.clock.now()) : undefined
  const answer = await commit((tx) => change(tx, call, schedule_id, { schedule, content, campaign }))
  parts.pokeExpander()
  return answer
}

/** The campaign of which the order is: its messages stay those of the campaign. */
async function campaignOf({ db, workspace_id }: Call, schedule_id: string, { graphs }: MessageServices) {
  const flow_id = await findOrderCampaign(db, workspace_id, schedule_id)
  return flow_id === undefined ? undefined : findCampaignById(db, flow_id, graphs)
}

async function change(tx: Tx, call: Call, schedule_id: string, changed: Change): Promise<ChangeReply> {
  const { workspace_id } = call
  const { schedule, content, campaign } = changed
  const order = await lockMessageOrder(tx, workspace_id, schedule_id)
  const { email, campaign: _campaign, flow: _flow, ...selection } = order.sending
  if (content?.email) await checkEmail(tx, workspace_id, content.email)
  // An order that sends nothing has no slot that could tell that its time is over.
  if (!schedule && !email && order.schedule.at_ms <= call.clock.now()) throw invalid(alreadySent)
  const sending = content ? toSending(selection, content, campaign) : undefined
  const isSameTime = schedule === undefined
  const isDelivered = (content ?? order.sending).email !== undefined
  await updateSchedule(tx, call, order, {
    schedule: schedule ?? order.schedule,
    isSameTime,
    sending,
    isDelivered,
  })
  const notice = content && messageNotice(content)
  return notice === undefined ? {} : { notice }
}
