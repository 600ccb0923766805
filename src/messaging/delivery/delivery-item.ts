import { channelOf } from '../channels/channels.ts'
import { isEntryMessage, type LeasedMessage } from '../messages/message.ts'
import type { MessageToPrepare, PreparedMessage, Tracking } from '../messages/prepared-message.ts'
import type { ContentSending } from '../orders/sending.ts'

/** A message that this process has leased, with its address and content. */
export type DeliveryItem = {
  /** Is replaced when the message moves to the kept profile of a merge. */
  message: LeasedMessage
  address: string
  /** The part of the address that servers complain about. */
  domain: string
  /** Whether the person allows tracking of opens and clicks. */
  readonly tracking: Tracking
  readonly sending: ContentSending
  /** Messages with the same key have the same content, of the same channel. */
  readonly contentKey: string
  /** Only for the message of an entry: its variables in Liquid. */
  readonly about?: MessageToPrepare['about']
  /** Only for the message of an entry: the order by which the person entered. */
  readonly order?: string | undefined
  /** Only for the message of an entry: messages per second that its flow allows. */
  readonly rate?: number | undefined
}

/** A delivery item that is ready for the hand-over. */
export type ReadyItem = DeliveryItem & { readonly prepared: PreparedMessage }

/** Returns an item that is ready with its message. */
export function readyItem(item: DeliveryItem, prepared: PreparedMessage): ReadyItem {
  const { address } = prepared
  const goesTo = address !== undefined && { address, domain: channelOf(item.message.channel).domainOf(address) }
  return Object.assign(item, { prepared }, goesTo)
}

/** Returns what preparing a message needs of an item. */
export function messageToPrepare(item: DeliveryItem): MessageToPrepare {
  const { message, address, tracking, sending, contentKey, about, order } = item
  const { message_id, profile_id, bucket, workspace_id, cause, step, visit, class: kind } = message
  const recipient = { message_id, profile_id, bucket, workspace_id, address }
  return {
    ...recipient,
    tracking,
    class: kind,
    dispatch_id: order ?? cause,
    idempotencyKey: isEntryMessage(message) ? `${cause}-${step}-${visit}` : `${cause}-${message_id}`,
    content: sending.content,
    contentKey,
    ...(about && { about }),
  }
}
