import { getSegment } from '../../audience/segments/find.ts'
import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Graphs } from '../flows/graphs.ts'
import { checkEmail } from '../mail/read-email-object.ts'
import { type AcceptedOrder, acceptOrder } from './accept-order.ts'
import { type Campaign, findCampaign } from './message-campaign.ts'
import { type MessageContext, type MessageRequest, messageNotice } from './read-message-request.ts'
import type { Schedule } from './schedule.ts'
import { checkSendId } from './send-id-store.ts'
import type { Sending } from './sending.ts'

export type MessageServices = {
  workspaces: Workspaces
  graphs: Graphs
  /** Something is due, or may be sooner than before. */
  pokeExpander(): void
}

/** The answer to an order. */
export type OrderReply = AcceptedOrder & { readonly send_id?: string; readonly notice?: string }

/** What a request is read against, the campaign that it names included. */
export async function loadMessageContext(
  { workspaces, graphs }: MessageServices,
  call: Call,
  campaign_id: unknown,
): Promise<MessageContext> {
  const { settings, apps } = workspaces.get(call.workspace_id)
  return { settings, apps, campaign: await findCampaign(call.db, call.workspace_id, campaign_id, graphs) }
}

/** Writes down what is to be sent, when all that it names is there. Throws 400. */
export async function placeMessageOrder(
  tx: Tx,
  call: Call,
  asked: MessageRequest,
  schedule?: Schedule,
): Promise<OrderReply> {
  const { meant, class: kind, send_id, campaign, content } = asked
  if (meant.segment_id !== undefined) await getSegment(tx, call.workspace_id, meant.segment_id)
  if (content.email) await checkEmail(tx, call.workspace_id, content.email)
  await checkSendId(tx, call.workspace_id, send_id, campaign?.flow_id)
  const accepted = await acceptOrder(tx, call, {
    sending: toSending(meant, content, campaign),
    class: kind,
    schedule,
    send_id,
  })
  const notice = messageNotice(content)
  return { ...accepted, ...(send_id !== undefined && { send_id }), ...(notice !== undefined && { notice }) }
}

/** What is kept of an order; messages of a campaign say which of its variations they are. */
export function toSending(
  meant: MessageRequest['meant'],
  { email }: MessageRequest['content'],
  campaign: Campaign | undefined,
): Sending {
  const variation_id = email?.message_variation_id
  return {
    ...meant,
    ...(email && { email }),
    ...(campaign && variation_id !== undefined && { campaign: { flow_id: campaign.flow_id, variation_id } }),
  }
}
