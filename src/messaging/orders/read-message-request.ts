import { invalid } from '../../base/errors.ts'
import { isGiven } from '../../people/identity/identifier.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isCleanText, isLong, isObject } from '../../people/values/values.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { EmailObject } from '../mail/email-object.ts'
import { type EmailContext, readEmail } from '../mail/read-email-object.ts'
import type { MessageClass } from '../messages/message.ts'
import { type Campaign, checkVariation, readCampaign } from './message-campaign.ts'
import { badSendId, type Channel } from './message-schema.ts'
import { checkUndelivered, readPayloads } from './read-channels.ts'
import { type Body, type RecipientSelection, readRecipientSelection } from './read-message-recipients.ts'

/** What a workspace knows that a request to send is read against. */
export type MessageContext = EmailContext & {
  readonly settings: EmailContext['settings'] & Pick<Settings, 'regex_characters_max'>
  /** The one that the request names, if it is there. */
  readonly campaign: Campaign | undefined
}

/** What is sent: the e-mail, and the channels that were given and are not delivered here. */
export type MessageContent = {
  readonly email?: EmailObject
  readonly undelivered: readonly Channel[]
  readonly warnings: readonly string[]
}

/** A request to send that was read: whom it means and what they get. */
export type MessageRequest = {
  readonly meant: RecipientSelection
  readonly class: MessageClass
  readonly send_id?: string
  readonly campaign?: Campaign
  readonly content: MessageContent
}

export function readBody(body: unknown): Body {
  if (!isObject(body)) throw invalid(bodyNotObject)
  return body
}

/**
 * Reads a request to send (contract 4.11): people, `send_id`, campaign, messages, in this order. Unknown members are ignored. What only
 * the database knows is not asked. Throws 400.
 */
export function readMessageRequest(body: Body, known: MessageContext): MessageRequest {
  const meant = readRecipientSelection(body, known.settings.regex_characters_max)
  const send_id = readSendId(body.send_id)
  const campaign = readCampaign(body.campaign_id, known.campaign)
  const content = readContent(body.messages, known, campaign)
  return {
    meant,
    class: classOf(meant),
    ...(send_id !== undefined && { send_id }),
    ...(campaign && { campaign }),
    content,
  }
}

/** Whoever is to get it whatever their state gets something that is not marketing. */
function classOf({ recipient_subscription_state }: RecipientSelection): MessageClass {
  return recipient_subscription_state === 'all' ? 'transactional' : 'marketing'
}

/** A `send_id` of an order, undefined when absent. Throws 400. */
export function readSendId(given: unknown): string | undefined {
  if (!isGiven(given)) return undefined
  if (typeof given !== 'string' || isLong(given) || !isCleanText(given)) throw invalid(badSendId)
  return given
}

/** Reads `messages`. Throws 400: first nothing to send, then the variations, then what each channel says. */
export function readContent(given: unknown, known: MessageContext, campaign?: Campaign): MessageContent {
  const payloads = [...readPayloads(given)]
  for (const [channel, payload] of payloads) checkVariation(campaign, channel, payload.message_variation_id)
  const undelivered = payloads.filter(([channel]) => channel !== 'email')
  for (const [channel, payload] of undelivered) checkUndelivered(channel, payload)
  const email = payloads.find(([channel]) => channel === 'email')?.[1]
  return {
    ...(email ? readEmail(email, 'messages.email', known) : { warnings: [] }),
    undelivered: undelivered.map(([channel]) => channel),
  }
}

/** What was accepted and has no effect, in words; undefined when there is nothing of that kind. */
export function messageNotice({ email, undelivered, warnings }: MessageContent): string | undefined {
  const channels = undelivered.join(', ')
  const left = undelivered.length === 0 ? [] : [email ? `Not delivered here: ${channels}.` : nothingSent(channels)]
  const all = [...left, ...warnings.map((warning) => `${warning}.`)]
  return all.length === 0 ? undefined : all.join(' ')
}

function nothingSent(channels: string): string {
  return `Nothing is sent: only email is delivered here, not ${channels}.`
}
