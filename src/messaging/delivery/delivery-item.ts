import type { MessageToPrepare, NotPrepared, PreparedMail } from '../mail/prepared-mail.ts'
import type { LeasedMessage } from '../messages/message.ts'
import type { EmailSending } from '../orders/sending.ts'

/**
 * Prepares the mails of messages, in their order. May take long, so it runs outside any transaction (`mail/prepare-emails.ts`). Messages
 * for whose mails there is no room in `bytesMax` are undefined.
 */
export type PrepareMails = (
  batch: readonly MessageToPrepare[],
  bytesMax: number,
) => Promise<readonly (PreparedMail | NotPrepared | undefined)[]>

/** A message that this process has leased, with its address and content. */
export type DeliveryItem = {
  /** Is replaced when the message moves to the kept profile of a merge. */
  message: LeasedMessage
  readonly address: string
  readonly domain: string
  /** Whether the person allows tracking of opens and clicks. */
  readonly tracking: MessageToPrepare['tracking']
  readonly sending: EmailSending
  /** Messages with the same key have the same content. */
  readonly contentKey: string
  /** Only for the message of an entry: its variables in Liquid. */
  readonly about?: MessageToPrepare['about']
  /** Only for the message of an entry: the order by which the person entered. */
  readonly order?: string | undefined
  /** Only for the message of an entry: mails per second that its flow allows. */
  readonly rate?: number | undefined
}

/** A delivery item with its mail. */
export type ReadyItem = DeliveryItem & { readonly prepared: PreparedMail }

export function emailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** Returns what preparing a mail needs of an item. */
export function messageToPrepare(item: DeliveryItem): MessageToPrepare {
  const { message, address, tracking, sending, contentKey, about, order } = item
  const { message_id, profile_id, bucket, workspace_id, cause, class: kind } = message
  const recipient = { message_id, profile_id, bucket, workspace_id, address }
  return {
    ...recipient,
    tracking,
    class: kind,
    dispatch_id: order ?? cause,
    sending,
    contentKey,
    ...(about && { about }),
  }
}
