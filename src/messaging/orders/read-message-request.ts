import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import type { ContentWorkspace } from '../channels/channel.ts'
import { channelOf, findChannel } from '../channels/channels.ts'
import type { MessageClass } from '../messages/message.ts'
import { checkVariation, type MessageCampaign, readCampaign } from './message-campaign.ts'
import { notDelivered, nothingSent } from './message-schema.ts'
import { type RequestBody, readSendId } from './read-body.ts'
import { checkAsInterface, readPayloads } from './read-channels.ts'
import { type RecipientSelection, readRecipientSelection } from './read-message-recipients.ts'
import type { Contents } from './sending.ts'

/** What a workspace has that a request to send messages is read against. */
export type MessageContext = ContentWorkspace & {
  /** The campaign that the request names. */
  readonly campaign: MessageCampaign | undefined
  /** Gets what is accepted but not kept as sent. */
  readonly notices: Notices
}

/** What is sent by each channel, and the channels that were given but are not delivered. */
export type MessageContent = {
  readonly contents: Contents
  /** The variation of a campaign that the messages say they are. */
  readonly variation_id?: string
  readonly undelivered: readonly string[]
  readonly warnings: readonly string[]
}

/** A request to send messages, read. */
export type MessageRequest = {
  readonly selection: RecipientSelection
  readonly class: MessageClass
  readonly send_id?: string
  readonly campaign?: MessageCampaign
  readonly content: MessageContent
}

/**
 * Reads a request to send messages (contract 4.11): recipients, `send_id`, campaign, messages, in this order. Unknown members are ignored.
 * Nothing is looked up in the database. Throws 400.
 */
export function readMessageRequest(body: RequestBody, context: MessageContext): MessageRequest {
  const selection = readRecipientSelection(body, context.settings.regex_characters_max)
  const send_id = readSendId(body.send_id)
  const campaign = readCampaign(body.campaign_id, context.campaign)
  const content = readContent(body.messages, context, campaign)
  return {
    selection,
    class: classOf(selection),
    ...(send_id !== undefined && { send_id }),
    ...(campaign && { campaign }),
    content,
  }
}

/** A message for people of every subscription state is not marketing. */
function classOf({ recipient_subscription_state }: RecipientSelection): MessageClass {
  return recipient_subscription_state === 'all' ? 'transactional' : 'marketing'
}

/**
 * Reads `messages`. `notices` gets what is not delivered or not kept as sent. Throws 400: first for nothing to send, then for variations,
 * then for what each channel has, then for channels of which none is delivered.
 */
export function readContent(given: unknown, context: MessageContext, campaign?: MessageCampaign): MessageContent {
  const { notices } = context
  const payloads = [...readPayloads(given, notices)]
  for (const [channel, payload] of payloads) checkVariation(campaign, channel, payload.message_variation_id)
  for (const [channel, payload] of payloads) checkAsInterface(channel, payload)
  const undelivered = payloads.filter(([channel]) => !findChannel(channel))
  const names = undelivered.map(([channel]) => channel)
  if (undelivered.length === payloads.length) throw invalid(nothingSent(names))
  for (const name of names) notices.add(`messages.${name}`, notDelivered)
  const contents: Record<string, unknown> = {}
  const warnings: string[] = []
  let variation_id: string | undefined
  for (const [channel, payload] of payloads) {
    const reader = findChannel(channel)?.content
    if (!reader) continue
    const { content, lost, warnings: own } = reader.read(payload, `messages.${channel}`, context)
    for (const { member, reason } of lost) notices.add(member, reason)
    contents[channel] = content
    warnings.push(...own)
    variation_id ??= reader.variationOf(content)
  }
  return { contents, ...(variation_id !== undefined && { variation_id }), undelivered: names, warnings }
}

/** Checks that what the contents name exists. Throws 400. */
export async function checkContents(tx: Tx, workspace_id: number, contents: Contents): Promise<void> {
  for (const [channel, content] of Object.entries(contents)) {
    await channelOf(channel).content.check(tx, workspace_id, content, `messages.${channel}`)
  }
}

/** Returns the `notice` about what was accepted but has no effect. */
export function messageNotice({ undelivered, warnings }: MessageContent): string | undefined {
  const channels = undelivered.join(', ')
  const left = undelivered.length === 0 ? [] : [`Not delivered here: ${channels}`]
  const sentences = [...left, ...warnings]
  return sentences.length === 0 ? undefined : sentences.map((sentence) => `${sentence}.`).join(' ')
}
