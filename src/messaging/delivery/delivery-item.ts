import type { MessageToPrepare, NotPrepared, PreparedMail } from '../mail/prepare-emails.ts'
import type { LeasedMessage } from '../messages/message.ts'
import type { EmailSending } from '../orders/sending.ts'

/** Makes mails of messages, in their order; takes its time, and runs outside any transaction (`mail/prepare.ts`). */
export type PrepareMails = (batch: readonly MessageToPrepare[]) => Promise<readonly (PreparedMail | NotPrepared)[]>

/** A message that this process has leased, and what is sent. */
export type DeliveryItem = {
  /** Changes when the message follows its person. */
  message: LeasedMessage
  readonly address: string
  readonly domain: string
  /** Whether the person lets opens and clicks be counted. */
  readonly tracking: MessageToPrepare['tracking']
  readonly sending: EmailSending
  /** Messages with the same say the same. */
  readonly contentKey: string
  /** Of an entry's message: what Liquid knows of it, and mails a second that its flow allows. */
  readonly about?: MessageToPrepare['about']
  readonly rate?: number | undefined
}

/** The same with its mail. */
export type ReadyItem = DeliveryItem & { readonly prepared: PreparedMail }

export function emailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}
