export const messageClasses = ['transactional', 'marketing'] as const

export type MessageClass = (typeof messageClasses)[number]

/** A message that is sent again by hand has the visit of the first plus this number. */
export const resendVisits = 1_000

/** The messages of one channel of one workspace. */
export type Queue = { readonly workspace_id: number; readonly channel: string }

/** One class of one workspace: work is claimed lane by lane. */
export type Lane = { readonly workspace_id: number; readonly class: MessageClass }

/** One class of a queue. */
export type MessageLane = Lane & Queue

/** A lane of messages, or one of entries, which have no channel. */
export type AnyLane = Lane & { readonly channel?: string }

export function isSameLane(one: AnyLane, other: AnyLane): boolean {
  return one.workspace_id === other.workspace_id && one.channel === other.channel && one.class === other.class
}

/** A message that a worker has leased. */
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
  /** How often it was claimed, this claim included, without claims that do not count. */
  readonly attempts: number
  /** How often the process has ended since it leased the message, without preparing it meanwhile. */
  readonly crashes: number
  /** Which levels of rates the message has passed: `delivery/throttle.ts`. */
  readonly rates_granted: number
  /** A server may have taken an earlier attempt. */
  readonly maybe_sent: boolean
  /** The canvas or campaign that it counts for, and the variant. */
  readonly flow_id: number | null
  /** The version of the flow that has its step. Null for a message of an order: then `cause` is the order, otherwise the entry. */
  readonly flow_version: number | null
  readonly variant: string | null
  readonly lease: string
}

/** A message of a step of an entry. */
export type EntryMessage = LeasedMessage & { readonly flow_id: number; readonly flow_version: number }

export function isEntryMessage(message: LeasedMessage): message is EntryMessage {
  return message.flow_version !== null
}

/** The primary key. */
export type MessageKey = { readonly bucket: number; readonly message_id: string }
