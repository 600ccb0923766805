import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../base/config.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import type { Sql } from '../../base/db/sql.ts'
import type { Fetcher } from '../../base/fetch/fetch.ts'
import type { Page } from '../../base/http/page.ts'
import type { Log } from '../../base/log.ts'
import type { Renderer } from '../../content/rendering/renderer.ts'
import type { Confirmation } from '../../people/confirmations/confirmation.ts'
import type { AskedNumber } from '../../people/confirmations/confirmation-store.ts'
import type { HashAddress, Person } from '../../people/identity/person.ts'
import type { GroupStateRequest } from '../../people/subscription/set-request.ts'
import type { OtherSections } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { GroupRow } from '../../workspace/settings/store.ts'
import type { Workspace, Workspaces } from '../../workspace/settings/workspaces.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { MessageClass, MessageKey } from '../messages/message.ts'
import type { MessageToPrepare, NotPrepared, PreparedMessage, Tracking } from '../messages/prepared-message.ts'
import type { RetriedMessage, RetryKind } from '../messages/retried-message.ts'
import type { BounceKind, TransportOutcome, TransportTrouble } from '../messages/transport-outcome.ts'
import type { ChannelCounts } from './channel-counts.ts'

/** What one channel does differently from all others. Everything else about messages is shared, and knows no channel. */
export type Channel<Content = unknown, Prepared extends PreparedMessage = PreparedMessage, Row = unknown> = {
  /** The member of `messages` in the interface, and the `channel` of the rows of messages. */
  readonly name: string
  readonly words: ChannelWords
  /** How people are shown a message. */
  readonly look: MessageLook
  /** Names the server that gets the messages, without secrets, for a sentence. Undefined: there is none, and the inbox keeps them. */
  destination(given: DestinationServices): string | undefined
  readonly content: ContentReader<Content>
  readonly consent: ChannelConsent<Content, Row>
  readonly metrics: ChannelMetrics
  /** The part of an address that servers complain about, such as its domain. */
  domainOf(address: string): string
  readonly rates: {
    /** The name of its rates in `send_rate`. */
    readonly name: string
    of(settings: Settings): ChannelRates
  }
  /** What is counted of its messages after they were sent. */
  readonly counted: ChannelCounts
  /** The class of all its messages, whatever the class of their order or flow. Absent: that class. */
  readonly onlyClass?: MessageClass
  /** When a message is tried again, if the channel has rules of its own. */
  readonly retry?: ChannelRetry
  /** Records that servers refused these addresses. The messages are marked as bounced already. */
  recordRefused(tx: Tx, refused: readonly RefusedAddress[], services: RefusedServices): Promise<void>
  /** Returns what the inbox keeps of a message: what its recipient gets is last. */
  keep(prepared: Prepared, address: string): readonly KeptMessage[]
  /** Takes apart what the inbox has kept, to show it. */
  show(source: Buffer): Promise<ShownMessage>
  /** Opens what makes and sends messages in a process that works. */
  open(services: ChannelServices): OpenChannel<Content, Prepared>
  /** Pages that a provider calls, such as what became of a message. */
  pages?(services: ChannelPageServices): Page[]
  /** Shows a content before it is used. Absent: the channel has another way (mail), or none. */
  readonly trial?: ChannelTrial<Content, Prepared>
  /** Makes a message again to look at it: without files, tracking and signatures, and without asking other servers. Absent: impossible. */
  openPreview?(services: PreviewServices): (message: MessageToPrepare<Content>) => Promise<MadeMessage | NotPrepared>
}

/** How people are shown a message: as a mail, as a text on a phone, as a notification, or as a request with its answer. */
export type MessageLook = 'mail' | 'text' | 'notification' | 'request'

/** `judge`: an emulator, which sends to no server. */
export type DestinationServices = { readonly config: Config; readonly judge?: JudgeMessage | undefined }

/** Words about a channel, for sentences. */
export type ChannelWords = {
  /** One message: `mail`. */
  readonly one: string
  /** Several: `mails`. */
  readonly many: string
  /** What happens while the server is not reached: `Mail waits`. */
  readonly waiting: string
  /** What takes the messages: `mail server`. */
  readonly server: string
  /** What an order sends: `A mail`. */
  readonly sent: string
  /** A message that is being made: `its mail, which is being prepared`. */
  readonly preparing: string
  /** What a message waits for that was put off before it was tried. Absent: its rate. */
  readonly postponed?: string
  /** The rule of a message that was accepted. Absent: none, because the reason says all. */
  readonly accepted?: string
  /** Sentences of reasons that differ from those of mail. */
  readonly reasons?: { readonly [reason in Reason]?: string }
  /** What a refusal says of the address, by its kind. */
  readonly refused: Readonly<Record<BounceKind, string>>
}

export type ChannelMetrics = {
  /** Counts messages that the transport did not accept, by kind. */
  readonly failures: { readonly name: string; readonly help: string }
  /** 1 while messages wait because the transport cannot be reached. */
  readonly spared: { readonly name: string; readonly help: string }
}

/** When a message is tried again. Pure. */
export type ChannelRetry = {
  /**
   * Returns the time, epoch milliseconds; undefined when the message is given up. `askedMs`: the pause that the server asked for, or 0.
   * `busyMs`: for how long a busy server has taken no message, or 0.
   */
  at(message: RetriedMessage, kind: RetryKind, nowMs: number, askedMs: number, busyMs: number): number | undefined
  /** Says why the message is given up. */
  givenUp(message: RetriedMessage, kind: RetryKind): string
}

/** Rates in messages per second: for all, and for single domains. */
export type ChannelRates = {
  readonly per_second?: number
  readonly domains?: Readonly<Record<string, number>>
}

/** What is accepted but not kept as it was sent: the member, and why. */
export type LostMember = { readonly member: string; readonly reason: string }

/** A checked content of a request, with what the caller is told about it. */
export type ReadContent<Content> = {
  readonly content: Content
  readonly warnings: readonly string[]
  readonly lost: readonly LostMember[]
}

/** What a workspace has that a content is read against. */
export type ContentWorkspace = {
  readonly settings: Settings
  readonly apps: { has(id: string): boolean }
  readonly groups: ReadonlyMap<string, GroupRow>
}

/** What a definition that is not stored may name. */
export type DefinitionNames = { readonly settings: Settings; readonly others: OtherSections }

export type ReadDefinition<Content> = { readonly content: Content } | { readonly mistake: Mistake }

/** Reads the content of a message, which is stored as JSON in orders, and as it was given in versions of flows. */
export type ContentReader<Content> = {
  /** Reads the member of `messages` of a request. Throws 400 with `path`. */
  read(given: unknown, path: string, workspace: ContentWorkspace): ReadContent<Content>
  /** Checks that what a content names exists. Throws 400 with `path`. */
  check(tx: Tx, workspace_id: number, content: Content, path: string): Promise<void>
  /** Returns a reader of new definitions: unlike in a request, a member that is unknown or has no effect is a mistake. */
  forDefinition(names: DefinitionNames): {
    read(given: unknown, path: string): ReadDefinition<Content>
    /** Returns all mistakes, each of another member. */
    mistakes(given: unknown, path: string): readonly Mistake[]
  }
  /** Reads a stored definition: what it names may be deleted by now. */
  readStored(given: unknown, path: string): ReadDefinition<Content>
  /** Stands for a content that could not be read. */
  readonly standIn: Content
  /** Members that remain when an order loses all its recipients, and texts that become empty. All others may be about a person. */
  readonly remaining: { readonly kept: readonly string[]; readonly emptied: readonly string[] }
  /** The variation of a campaign that the content says it is. */
  variationOf(content: Content): string | undefined
  /** The subject or the beginning of its text, for lists. */
  titleOf(content: Content): string | null
  /** Returns what a step sends, as a sentence. `cut` shortens a text. */
  describe(content: Content, cut: (text: string) => string, templateName?: (id: string) => string | undefined): string
  /** Returns the members that the interface tells of a message of a flow. */
  details(content: Content): Readonly<Record<string, unknown>>
  /** The number of its files. Absent: the channel has no files. */
  filesOf?(content: Content): number
  /** Adds the files of an order. */
  withFiles?(content: Content, files: readonly MessageFile[]): Content
}

/** A file that an order adds to its messages. */
export type MessageFile = { readonly file_name: string; readonly url: string; readonly basic_auth_credential?: string }

/** The subscription state that a message requires. */
export type RequiredState = 'opted_in' | 'subscribed' | 'all'

/** Why a person may not get a message. Each reason is one of the ledger too. */
export type ConsentRefusal = {
  readonly reason: 'no_address' | 'suppressed' | 'unsubscribed' | 'group_unsubscribed'
  readonly rule: string
  readonly inputs: Readonly<Record<string, unknown>>
}

/** How the address of a person is found, and whether a message may go there. */
export type ChannelConsent<Content, Row> = {
  /** Columns that decide it, for a statement that has the profile as `p` and `join`. */
  readonly columns: Sql
  readonly join: Sql
  addressOf(row: Row): string | null
  trackingOf(row: Row): Tracking
  /** Returns whether the person may have been asked for a confirmation that is not given yet, which explains why they get nothing. */
  mayWait(row: Row): boolean
  /** Returns why the person may not get a message now. Pure. */
  check(row: Row, content: Content, required: RequiredState): ConsentRefusal | undefined
}

/** An address to which a message was returned or refused. */
export type RefusedAddress = {
  readonly workspace_id: number
  /** The normalised address of the recipient. */
  readonly address: string
  readonly kind: BounceKind
  /** What the server said. */
  readonly detail: string
  /** The message. If a provider reports an address alone, it is absent, and a repeated report is not recognised. */
  readonly message?: MessageKey
  /** When it happened, epoch microseconds; now if absent. A soft bounce counts if it is later than the last one. */
  readonly occurredUs?: number
  /** Nobody has the address, so only its hash is stored. */
  readonly hidden?: boolean
  /** The subscription group that the recipient has left at the provider. */
  readonly leftGroup?: number
}
/** `stampUs`: when it is recorded, epoch microseconds. */
export type RefusedServices = { readonly stampUs: number; readonly hashAddress: HashAddress }

/** What the inbox keeps: for whom, the title in lists, and the message itself. */
export type KeptMessage = { readonly address: string; readonly subject: string; readonly source: Buffer }

/** A kept message as answers have it. */
export type ShownMessage = {
  readonly from: string | null
  readonly headers: Record<string, string>
  readonly html: string | null
  readonly text: string | null
  readonly attachments: { filename: string | null; content_type: string; bytes: number }[]
  /** What only this channel has, such as the segments of a text message. */
  readonly details?: Readonly<Record<string, unknown>>
  readonly source: string
}

/** Shows a content before it is used, and sends it as a test. Its texts are rendered between the steps. */
export type ChannelTrial<Content, Prepared> = {
  /** Reads a content that may not be complete yet. Throws 400 with `path`. */
  read(given: unknown, path: string): Content
  /** The texts with Liquid, by their names, with the most characters that each may have when it is rendered. */
  textsOf(content: Content): Readonly<Record<string, { readonly text: string; readonly charactersMax: number }>>
  /** Makes the message of these rendered texts, or says what is wrong with one of them. */
  make(content: Content, texts: Readonly<Record<string, string>>, about: TrialTarget): Prepared | TrialMistake
  readonly recipient: TrialRecipient
  /** Returns how many bytes the recipient's server gets, and takes at most. Absent: nothing depends on it. */
  bytesOf?(prepared: Prepared): { readonly bytes: number; readonly bytesMax: number }
  /** Adds what only a message needs that is sent, or says what is missing. */
  complete?(tx: Tx, prepared: Prepared): Promise<Prepared | TrialMistake>
  /** Opens the server that gets tests; undefined when none is configured. */
  openTransport(services: TransportServices): MessageTransport<Prepared> | undefined
  /** Whether the messages of a workspace are kept in the inbox although there is a transport. */
  keepsAll(settings: Settings): boolean
}

/**
 * Who gets tests: an address of the request, the devices of a person of the workspace, or the server that the message names. `read` throws
 * 400 with `path`.
 */
export type TrialRecipient =
  | { readonly kind: 'address'; read(given: unknown, path: string): string }
  | { readonly kind: 'person' }
  | { readonly kind: 'server' }

/** What a transport is opened with. */
export type TransportServices = Pick<ChannelServices, 'config' | 'db' | 'clock' | 'log' | 'fetcher' | 'judge'>

/**
 * What a message is made with to look at it or to test it. `person` gets the test, if it goes to a person. `test`: it is sent, with this id
 * and a mark.
 */
export type TrialTarget = {
  readonly workspace: Workspace
  readonly address: string
  readonly person?: Person
  readonly secret: Buffer
  readonly publicUrl: string
  readonly test?: { readonly id: string; readonly mark: string; readonly isSent: boolean }
}

/** What is wrong with a rendered text, named `text`. */
export type TrialMistake = { readonly text: string; readonly mistake: string }

/** A message that was made to look at it. */
export type MadeMessage = { readonly subject: string; readonly source: Buffer }

export type PreviewServices = Pick<
  ChannelServices,
  'clock' | 'db' | 'formatServiceId' | 'hashAddress' | 'publicUrl' | 'renderer' | 'secret' | 'workspaces'
> & { readonly bounceDomain?: string }

export type ChannelServices = {
  readonly config: Config
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly fetcher: Fetcher
  readonly renderer: Renderer
  readonly workspaces: Pick<Workspaces, 'get' | 'all'>
  readonly hashAddress: HashAddress
  readonly secret: Buffer
  readonly publicUrl: string
  formatServiceId(profile_id: string): string
  /** Decides which messages the inbox refuses as a server would. Absent: none. */
  readonly judge?: JudgeMessage | undefined
}

/** A phone number that replies to a sender, and the groups of the sender. */
export type RepliedNumber = Omit<AskedNumber, 'bucket'>

/** What pages of a channel are made with. */
export type ChannelPageServices = {
  readonly config: Config
  readonly db: Db
  readonly hashAddress: HashAddress
  readonly workspaces: Workspaces
  readonly secret: Buffer
  readonly publicUrl: string
  /** Sets group states in one order with what is tracked. */
  applyStates(workspace_id: number, request: GroupStateRequest, strict: boolean): Promise<unknown>
  /** Records that a message was returned after it was accepted. */
  recordBounce(bounce: RefusedAddress): Promise<void>
  /** Records that a message has arrived. */
  recordDelivered(message: MessageKey & { readonly class: MessageClass }): Promise<void>
  /** Confirms everything that a number was asked with this keyword and may still confirm. May be repeated. */
  confirmByReply(number: RepliedNumber, keyword: string): Promise<void>
  /** Returns what a number can still confirm with this keyword. */
  listPendingReplies(number: RepliedNumber, keyword: string): Promise<Confirmation[]>
  /** Returns what a number has confirmed a moment ago with this keyword, if it is subscribed to it still. */
  listLastReplied(number: RepliedNumber, keyword: string): Promise<Confirmation[]>
  /** Withdraws what a number was asked and has not confirmed. */
  withdrawByReply(number: RepliedNumber): Promise<void>
  /** Runs `work` for the first request with this token, among all processes. Returns false for any other. */
  once(workspace_id: number, token: string, work: () => Promise<void>): Promise<boolean>
}

/** A message that the inbox is about to take. The same lease may be judged again, when a transaction is repeated. */
export type JudgedMessage = {
  readonly channel: string
  readonly workspace_id: number
  readonly address: string
  readonly message_id: string
  readonly lease: string
}

/** Decides whether a message is refused as a server would refuse it. Undefined: it is accepted. */
export type JudgeMessage = (message: JudgedMessage) => TransportOutcome | undefined

/** Sends messages, at most `connections` at once. */
export type MessageTransport<Prepared> = {
  /**
   * Returns why a server was not reached, for a transport with many servers: it spares the one in trouble itself. With a workspace: one
   * that got messages of it. Absent: it has one server, and all messages wait while that is not reached.
   */
  trouble?(workspace_id?: number): TransportTrouble | undefined
  /** Names the server without secrets, such as `smtp://mail.example.com:587`. */
  readonly server: string
  readonly connections: number
  /** How many of them messages of one workspace may use. Absent: all. */
  readonly workspaceMax?: number
  /** How long a hand-over waits for more free connections while most are busy, in milliseconds. Absent: as long as for mails. */
  readonly gatherMs?: number
  /** Sends a message. Aborting the signal has the effect of a lost connection. Never rejects. */
  send(prepared: Prepared, signal: AbortSignal): Promise<TransportOutcome>
  close(): Promise<void>
}

/** What makes and sends the messages of a channel. */
export type OpenChannel<Content = unknown, Prepared extends PreparedMessage = PreparedMessage> = {
  /**
   * Prepares messages, in their order. May take long, so it runs outside any transaction. Messages for which there is no room in `bytesMax`
   * are undefined. Rejects if the database is not available; the whole batch may then be tried again.
   */
  prepare(
    batch: readonly MessageToPrepare<Content>[],
    bytesMax: number,
  ): Promise<readonly (Prepared | NotPrepared | undefined)[]>
  /** The bytes of the largest message without files. */
  readonly bytesMax: number
  /** Returns how many bytes the texts of a content have, and its files when they are ready to be sent. */
  sizeOf(content: Content, workspace: Pick<Workspace, 'settings'>): { readonly texts: number; readonly files: number }
  /** Undefined: no server is configured, and every message is kept in the inbox. */
  readonly transport: MessageTransport<Prepared> | undefined
  /** Returns whether the messages of a workspace are kept in the inbox although there is a transport. */
  keepsAll(settings: Settings): boolean
  /** Returns what the inbox keeps of a message that its server has accepted with `response`. Absent: nothing. */
  keepSent?(prepared: Prepared, response: string): KeptMessage
}
