export const messageClasses = ['transactional', 'marketing'] as const

export type MessageClass = (typeof messageClasses)[number]

/** The channel of what is sent so far. */
export const emailChannel = 'email'

/** What is sent once more because somebody said so is a visit of its own, so many visits after the first time. */
export const resendVisits = 1_000

/** The messages of one class of one workspace that are due. */
export type Lane = { readonly workspace_id: number; readonly class: MessageClass }

/** A message that a worker has leased: where it is, what it belongs to, and whose it is. */
export type LeasedMessage = {
  readonly bucket: number
  readonly message_id: string
  readonly profile_id: string
  readonly workspace_id: number
  readonly cause: string
  readonly step: string
  readonly visit: number
  readonly channel: string
  readonly class: MessageClass
  readonly plannedMs: number
  /** Times it was claimed, this one included, without those that do not count. */
  readonly attempts: number
  /** Which of the rates have let it go: `send_rate` of 0018. */
  readonly room: number
  /** A server may have had it before, and nobody knows. */
  readonly doubted: boolean
  /** The canvas or campaign that it is counted for, and the variant. */
  readonly flow_id: number | null
  /** The version whose step it is; null where it is of an order to send. Then `cause` is the dispatch, otherwise the entry. */
  readonly flow_version: number | null
  readonly variant: string | null
  readonly lease: string
}

/** A message of a step that an entry has come to. */
export type EntryMessage = LeasedMessage & { readonly flow_id: number; readonly flow_version: number }

export function isEntryMessage(message: LeasedMessage): message is EntryMessage {
  return message.flow_version !== null
}

/** Where a message is. */
export type MessageKey = { readonly bucket: number; readonly message_id: string }
