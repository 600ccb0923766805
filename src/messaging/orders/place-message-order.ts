import { getSegment } from '../../audience/segments/find.ts'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Commit } from '../../base/http/idempotency.ts'
import type { Notices } from '../../base/http/notices.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Graphs } from '../flows/graphs.ts'
import { acceptOrder, type OrderReply, toOrderReply } from './accept-order.ts'
import { findCampaign, type MessageCampaign } from './message-campaign.ts'
import type { RequestBody } from './read-body.ts'
import type { RecipientSelection } from './read-message-recipients.ts'
import {
  checkContents,
  type MessageContent,
  type MessageContext,
  type MessageRequest,
  messageNotice,
  readMessageRequest,
} from './read-message-request.ts'
import type { Schedule } from './schedule.ts'
import { checkSendId } from './send-id-store.ts'
import type { Sending } from './sending.ts'

export type MessageServices = {
  readonly workspaces: Workspaces
  readonly graphs: Graphs
  readonly wakeups: Wakeups
}

/** Reads a request to send messages against what the workspace has. Throws 400. */
export async function readMessageOrder(
  call: Call,
  body: RequestBody,
  services: MessageServices,
  notices: Notices,
): Promise<MessageRequest> {
  const { db, workspace_id } = call
  const campaign = await findCampaign(db, workspace_id, body.campaign_id, services.graphs)
  return readMessageRequest(body, messageContext(call, services, campaign, notices))
}

export function messageContext(
  { workspace_id }: Call,
  { workspaces }: MessageServices,
  campaign: MessageCampaign | undefined,
  notices: Notices,
): MessageContext {
  const { settings, apps, groups } = workspaces.get(workspace_id)
  return { settings, apps, groups, campaign, notices }
}

/** Accepts an order of messages when everything that it names is there. The answer has the notices. Throws 400. */
export async function placeMessageOrder(
  call: Call,
  request: MessageRequest,
  { wakeups }: MessageServices,
  commit: Commit,
  notices: Notices,
  schedule?: Schedule,
): Promise<OrderReply> {
  notices.check()
  const reply = await commit(async (tx) => ({
    ...(await acceptMessages(tx, call, request, schedule)),
    ...notices.members(),
  }))
  wakeups.wake('expansion')
  return reply
}

async function acceptMessages(
  tx: Tx,
  call: Call,
  { selection, class: kind, send_id, campaign, content }: MessageRequest,
  schedule: Schedule | undefined,
): Promise<OrderReply> {
  const { workspace_id } = call
  if (selection.segment_id !== undefined) await getSegment(tx, workspace_id, selection.segment_id)
  await checkContents(tx, workspace_id, content.contents)
  await checkSendId(tx, workspace_id, send_id, campaign?.flow_id)
  const order = { sending: toSending(selection, content, campaign), class: kind, schedule, send_id }
  return toOrderReply(await acceptOrder(tx, call, order), send_id, messageNotice(content))
}

/** Returns what is stored of an order of messages. */
export function toSending(
  selection: RecipientSelection,
  { contents, variation_id }: MessageContent,
  campaign: MessageCampaign | undefined,
): Sending {
  return {
    ...selection,
    ...contents,
    ...(campaign && variation_id !== undefined && { campaign: { flow_id: campaign.flow_id, variation_id } }),
  }
}
