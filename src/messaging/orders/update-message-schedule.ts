import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import { Notices } from '../../base/http/notices.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { lockMessageOrder, updateSchedule } from './change-schedule.ts'
import { findCampaignById, type MessageCampaign } from './message-campaign.ts'
import { changeRequired, type UpdateReply } from './message-schema.ts'
import { findOrderCampaign } from './order-store.ts'
import { type MessageServices, messageContext, toSending } from './place-message-order.ts'
import { readBody } from './read-body.ts'
import { checkContents, type MessageContent, messageNotice, readContent } from './read-message-request.ts'
import { readOrderSchedule } from './read-order-schedule.ts'
import { readScheduleId } from './read-schedule.ts'
import type { Schedule } from './schedule.ts'
import { alreadySent } from './schedule-schema.ts'
import { contentsOf, withoutContents } from './sending.ts'

type MessageUpdate = {
  readonly schedule: Schedule | undefined
  readonly content: MessageContent | undefined
  readonly campaign: MessageCampaign | undefined
}

/**
 * Changes messages that wait for their time (contract 10.3): `schedule` replaces the whole schedule, `messages` all messages. An absent
 * member changes nothing. Throws 400.
 */
export async function updateMessageSchedule(
  call: Call,
  given: unknown,
  services: MessageServices,
  commit: Commit,
): Promise<UpdateReply> {
  const body = readBody(given)
  const schedule_id = readScheduleId(body.schedule_id)
  const hasMessages = isGiven(body.messages)
  if (!isGiven(body.schedule) && !hasMessages) throw invalid(changeRequired)
  const campaign = hasMessages ? await loadOrderCampaign(call, schedule_id, services) : undefined
  const notices = new Notices(call.strict)
  const context = messageContext(call, services, undefined, notices)
  const content = hasMessages ? readContent(body.messages, context, campaign) : undefined
  const schedule = isGiven(body.schedule) ? await readOrderSchedule(call, body.schedule, notices) : undefined
  notices.check()
  const reply = await commit(async (tx) => ({
    ...(await update(tx, call, schedule_id, { schedule, content, campaign })),
    ...notices.members(),
  }))
  services.wakeups.wake('expansion')
  return reply
}

/** Returns the campaign of an order, which does not change. */
async function loadOrderCampaign({ db, workspace_id }: Call, schedule_id: string, { graphs }: MessageServices) {
  const flow_id = await findOrderCampaign(db, workspace_id, schedule_id)
  return flow_id === undefined ? undefined : findCampaignById(db, flow_id, graphs)
}

async function update(
  tx: Tx,
  call: Call,
  schedule_id: string,
  { schedule, content, campaign }: MessageUpdate,
): Promise<UpdateReply> {
  const { workspace_id, clock } = call
  const order = await lockMessageOrder(tx, workspace_id, schedule_id)
  const { campaign: _campaign, flow: _flow, ...selection } = withoutContents(order.sending)
  if (content) await checkContents(tx, workspace_id, content.contents)
  const contents = contentsOf(order.sending)
  // An order without a content has no slots, so its time is compared here.
  if (!schedule && Object.keys(contents).length === 0 && order.schedule.at_ms <= clock.now()) throw invalid(alreadySent)
  await updateSchedule(tx, call, order, {
    schedule: schedule ?? order.schedule,
    isSameTime: schedule === undefined,
    sending: content ? toSending(selection, content, campaign) : undefined,
    isDelivered: Object.keys(content?.contents ?? contents).length > 0,
  })
  const notice = content && messageNotice(content)
  return notice === undefined ? {} : { notice }
}
